#include "backends/vulkan/physical.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

namespace parallax::vulkan {
namespace {

// Its macro is in vulkan_beta.h only.
constexpr const char* kPortabilitySubset = "VK_KHR_portability_subset";

/// Property structures of one device. Those that were not asked for stay zero. The links between
/// them serve the question only; a copy has stale ones.
struct Properties {
  VkPhysicalDeviceProperties2 core =
      blank<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  VkPhysicalDeviceVulkan11Properties v11 = blank<VkPhysicalDeviceVulkan11Properties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES);
  VkPhysicalDeviceVulkan12Properties v12 = blank<VkPhysicalDeviceVulkan12Properties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES);
  VkPhysicalDevicePCIBusInfoPropertiesEXT pci = blank<VkPhysicalDevicePCIBusInfoPropertiesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
  VkPhysicalDeviceMaintenance4Properties maintenance4 =
      blank<VkPhysicalDeviceMaintenance4Properties>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);

  bool has_pci = false;

  VkPhysicalDeviceProperties2* chain(bool with_maintenance4) {
    core.pNext = &v11;
    v11.pNext = &v12;
    void** end = &v12.pNext;
    if (has_pci) {
      *end = &pci;
      end = &pci.pNext;
    }
    if (with_maintenance4) *end = &maintenance4;
    return &core;
  }
};

/// Names of the device extensions.
class Extensions {
 public:
  Extensions(const InstanceApi& api, VkPhysicalDevice handle)
      : all_(enumerate<VkExtensionProperties>(
            "vkEnumerateDeviceExtensionProperties()",
            [&](std::uint32_t* count, VkExtensionProperties* items) {
              return api.vkEnumerateDeviceExtensionProperties(handle, nullptr, count, items);
            })) {}
  [[nodiscard]] bool has(const char* name) const {
    return std::ranges::any_of(all_, [&](const VkExtensionProperties& extension) {
      return std::strcmp(extension.extensionName, name) == 0;
    });
  }

 private:
  std::vector<VkExtensionProperties> all_;
};

struct Queue {
  std::uint32_t family;
  std::uint32_t timestamp_valid_bits;
};

/// Chooses the universal queue: the one that a plain application computes on. Families for compute
/// alone exist to overlap graphics and may be scheduled behind it. A clock counts for more.
std::optional<Queue> choose_queue(const InstanceApi& api, VkPhysicalDevice handle) {
  std::uint32_t count = 0;
  api.vkGetPhysicalDeviceQueueFamilyProperties(handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  api.vkGetPhysicalDeviceQueueFamilyProperties(handle, &count, families.data());
  std::optional<Queue> best;
  int best_score = -1;
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkQueueFamilyProperties& family = families[i];
    if ((family.queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    const int score = (family.timestampValidBits != 0 ? 2 : 0) +
                      ((family.queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0 ? 1 : 0);
    if (score <= best_score) continue;
    best_score = score;
    best = Queue{i, family.timestampValidBits};
  }
  return best;
}

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string uuid_text(std::span<const std::uint8_t, VK_UUID_SIZE> uuid) {
  return fmt::format("{}-{}-{}-{}-{}", hex(uuid.subspan(0, 4)), hex(uuid.subspan(4, 2)),
                     hex(uuid.subspan(6, 2)), hex(uuid.subspan(8, 2)), hex(uuid.subspan(10)));
}

std::string version_text(std::uint32_t version) {
  return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                     VK_API_VERSION_PATCH(version));
}

DeviceType type_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return DeviceType::discrete_gpu;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return DeviceType::integrated_gpu;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return DeviceType::virtual_gpu;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return DeviceType::cpu;
    default:
      return DeviceType::other;
  }
}

Limits limits_of(const Properties& properties, const VkPhysicalDeviceMemoryProperties& memory) {
  const VkPhysicalDeviceLimits& from = properties.core.properties.limits;
  Limits limits;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) == 0) continue;
    limits.memory_bytes = std::max<std::uint64_t>(limits.memory_bytes, memory.memoryHeaps[i].size);
  }
  // An allocation over the heap's size is an invalid call, not an error that the driver reports.
  limits.max_buffer_bytes =
      std::min<std::uint64_t>(limits.memory_bytes, properties.v11.maxMemoryAllocationSize);
  if (properties.maintenance4.maxBufferSize != 0) {
    limits.max_buffer_bytes =
        std::min<std::uint64_t>(limits.max_buffer_bytes, properties.maintenance4.maxBufferSize);
  }
  limits.max_binding_bytes = from.maxStorageBufferRange;
  limits.max_group_lanes = from.maxComputeWorkGroupInvocations;
  std::copy_n(from.maxComputeWorkGroupSize, 3, limits.max_group_size.begin());
  std::copy_n(from.maxComputeWorkGroupCount, 3, limits.max_group_count.begin());
  limits.shared_bytes = from.maxComputeSharedMemorySize;
  return limits;
}

std::vector<std::string> feature_names(const Features& features) {
  std::vector<std::string> names;
  if (features.v11.storageBuffer16BitAccess == VK_TRUE) names.emplace_back("f16_storage");
  if (features.v12.shaderFloat16 == VK_TRUE) names.emplace_back("f16_arithmetic");
  if (features.core.features.shaderFloat64 == VK_TRUE) names.emplace_back("f64");
  if ((features.subgroup_operations & VK_SUBGROUP_FEATURE_BASIC_BIT) != 0) {
    names.emplace_back("subgroup");
  }
  return names;
}

void fill_identity(DeviceInfo& info, const Properties& properties) {
  const VkPhysicalDeviceProperties& core = properties.core.properties;
  info.api = "vulkan";
  info.name = core.deviceName;
  info.type = type_of(core.deviceType);
  info.api_version = version_text(core.apiVersion);
  // Every vendor packs driverVersion in its own way; driverInfo is the version as it is published.
  info.driver =
      fmt::format("{} {}", properties.v12.driverName,
                  properties.v12.driverInfo[0] != '\0' ? properties.v12.driverInfo
                                                       : version_text(core.driverVersion));
  info.uuid = uuid_text(properties.v11.deviceUUID);
  if (properties.v11.deviceLUIDValid == VK_TRUE) info.luid = hex(properties.v11.deviceLUID);
  if (properties.has_pci) {
    info.pci =
        fmt::format("{:04x}:{:02x}:{:02x}.{:x}", properties.pci.pciDomain, properties.pci.pciBus,
                    properties.pci.pciDevice, properties.pci.pciFunction);
  }
}

Timer timer_of(const VkPhysicalDeviceLimits& limits, const Queue& queue) {
  Timer timer;
  timer.source = "vulkan_timestamp";
  timer.period_ns = limits.timestampPeriod;
  // Zero bits mean that there is no clock; the period says nothing about that.
  timer.valid_bits = queue.timestamp_valid_bits;
  timer.declared_ns = timer.period_ns;
  return timer;
}

/// Says what the backend needs and the device lacks, or nothing.
std::optional<std::string> lacking(const VkPhysicalDeviceProperties& core, const Features& features,
                                   const std::optional<Queue>& queue) {
  if (features.v12.hostQueryReset != VK_TRUE) return "no hostQueryReset";
  if (!queue) return "no compute queue";
  if (core.limits.maxPerStageDescriptorStorageBuffers < kMaxBuffers) {
    return fmt::format("only {} storage buffers for a kernel; {} are needed",
                       core.limits.maxPerStageDescriptorStorageBuffers, kMaxBuffers);
  }
  return std::nullopt;
}

Properties query_properties(const Instance& instance, VkPhysicalDevice handle,
                            const Extensions& extensions, std::uint32_t device_version) {
  Properties properties;
  properties.has_pci = extensions.has(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
  const bool has_maintenance4 =
      std::min(device_version, instance.api_version()) >= VK_API_VERSION_1_3 ||
      extensions.has(VK_KHR_MAINTENANCE_4_EXTENSION_NAME);
  instance.api().vkGetPhysicalDeviceProperties2(handle, properties.chain(has_maintenance4));
  return properties;
}

DeviceInfo describe_device(const Properties& properties, const Physical& physical,
                           const Queue& queue) {
  DeviceInfo info;
  fill_identity(info, properties);
  info.limits = limits_of(properties, physical.memory);
  info.subgroup_size = properties.v11.subgroupSize;
  info.features = feature_names(physical.features);
  info.timer = timer_of(properties.core.properties.limits, queue);
  return info;
}

}  // namespace

std::variant<Physical, Absent> describe(const Instance& instance, VkPhysicalDevice handle,
                                        std::size_t index) {
  const InstanceApi& api = instance.api();
  VkPhysicalDeviceProperties core{};  // the newer question must not be put to a 1.0 device
  api.vkGetPhysicalDeviceProperties(handle, &core);
  if (core.apiVersion < VK_API_VERSION_1_2) {
    return Absent{fmt::format("{}: skipped, it offers Vulkan {}; 1.2 is needed", core.deviceName,
                              version_text(core.apiVersion))};
  }
  const Extensions extensions(api, handle);
  const Properties properties = query_properties(instance, handle, extensions, core.apiVersion);

  Physical physical;
  physical.handle = handle;
  const bool may_have_executables =
      extensions.has(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
  Features offered;
  api.vkGetPhysicalDeviceFeatures2(handle, offered.chain(may_have_executables));
  if ((properties.v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0) {
    offered.subgroup_operations = properties.v11.subgroupSupportedOperations;
  }
  const auto queue = choose_queue(api, handle);
  if (const auto reason = lacking(core, offered, queue)) {
    return Absent{fmt::format("{}: skipped, {}", core.deviceName, *reason)};
  }
  physical.queue_family = queue->family;
  physical.features = used_features(offered);
  physical.has_executables = physical.features.executables.pipelineExecutableInfo == VK_TRUE;
  if (physical.has_executables) {
    physical.extensions.push_back(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
  }
  // A device that has it must have it enabled, says the specification.
  if (extensions.has(kPortabilitySubset)) physical.extensions.push_back(kPortabilitySubset);
  api.vkGetPhysicalDeviceMemoryProperties(handle, &physical.memory);
  physical.info = describe_device(properties, physical, *queue);
  physical.info.id = fmt::format("vulkan:{}", index);
  return physical;
}

}  // namespace parallax::vulkan
