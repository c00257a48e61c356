#include "backends/vulkan/context.hpp"

namespace parallax::vulkan {
namespace {

OwnedDevice create_device(const InstanceApi& api, const Physical& physical) {
  const float priority = 1.0f;
  auto queue = blank<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = physical.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  Features features = physical.features;
  auto create = blank<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  create.pNext = features.chain(physical.has_executables);
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queue;
  create.enabledExtensionCount = static_cast<std::uint32_t>(physical.extensions.size());
  create.ppEnabledExtensionNames = physical.extensions.data();
  VkDevice device = VK_NULL_HANDLE;
  check(api.vkCreateDevice(physical.handle, &create, nullptr, &device), "vkCreateDevice()");
  const auto destroy =
      reinterpret_cast<PFN_vkDestroyDevice>(api.vkGetDeviceProcAddr(device, "vkDestroyDevice"));
  return {device, {destroy}};
}

}  // namespace

Context::Context(const Instance& instance, const Physical& physical)
    : device(create_device(instance.api(), physical)),
      api(load_device(instance.api().vkGetDeviceProcAddr, device.get())),
      queue_family(physical.queue_family),
      features(physical.features),
      has_executables(physical.has_executables),
      memory(physical.memory),
      limits(physical.info.limits) {
  api.vkGetDeviceQueue(device.get(), queue_family, 0, &queue);
}

std::optional<std::uint32_t> Context::memory_type(std::uint32_t allowed,
                                                  VkMemoryPropertyFlags flags) const {
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const bool suits = (allowed & (1u << i)) != 0;
    if (suits && (memory.memoryTypes[i].propertyFlags & flags) == flags) return i;
  }
  return std::nullopt;
}

}  // namespace parallax::vulkan
