#include "backends/vulkan/buffer.hpp"

#include <fmt/format.h>

namespace parallax::vulkan {
namespace {

constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr VkMemoryPropertyFlags kCoherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

constexpr VkMemoryPropertyFlags kDeviceWishes[] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
// Reading uncached memory is tens of times slower; the last wish is guaranteed to exist.
constexpr VkMemoryPropertyFlags kStagingWishes[] = {kVisible | kCached | kCoherent,
                                                    kVisible | kCached, kVisible | kCoherent};

std::uint32_t choose_type(const Context& context, std::uint32_t allowed,
                          std::span<const VkMemoryPropertyFlags> wishes) {
  for (const VkMemoryPropertyFlags flags : wishes) {
    if (const auto type = context.memory_type(allowed, flags)) return *type;
  }
  throw DeviceError(DeviceError::Kind::failed, "choice of a memory type",
                    VK_ERROR_FEATURE_NOT_PRESENT, "none suits");
}

}  // namespace

Allocation::Allocation(const Context& context, std::uint64_t size_bytes, VkBufferUsageFlags usage,
                       std::span<const VkMemoryPropertyFlags> wishes) {
  const DeviceApi& api = context.api;
  auto create = blank<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  create.size = size_bytes;
  create.usage = usage;
  VkBuffer buffer = VK_NULL_HANDLE;
  check(api.vkCreateBuffer(api.device, &create, nullptr, &buffer),
        fmt::format("vkCreateBuffer({} bytes)", size_bytes));
  buffer_ = context.own<OwnedBuffer>(buffer);

  VkMemoryRequirements needs{};
  api.vkGetBufferMemoryRequirements(api.device, buffer, &needs);
  auto allocate = blank<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex = choose_type(context, needs.memoryTypeBits, wishes);
  const auto flags = context.memory.memoryTypes[allocate.memoryTypeIndex].propertyFlags;
  is_coherent_ = (flags & kCoherent) != 0;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  check(api.vkAllocateMemory(api.device, &allocate, nullptr, &memory),
        fmt::format("vkAllocateMemory({} bytes)", needs.size));
  memory_ = context.own<OwnedMemory>(memory);
  check(api.vkBindBufferMemory(api.device, buffer, memory, 0), "vkBindBufferMemory()");
}

Buffer::Buffer(Context& context, std::uint64_t size_bytes)
    : parallax::Buffer(size_bytes),
      live_(context),
      allocation_(context, size_bytes,
                  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                      VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                  kDeviceWishes) {}

VkBuffer native(const parallax::Buffer& buffer) {
  return static_cast<const Buffer&>(buffer).handle();
}

Staging::Staging(const Context& context)
    : context_(context),
      allocation_(context, kSizeBytes,
                  VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                  kStagingWishes) {
  const DeviceApi& api = context.api;
  void* data = nullptr;
  check(api.vkMapMemory(api.device, allocation_.memory(), 0, VK_WHOLE_SIZE, 0, &data),
        "vkMapMemory()");
  data_ = static_cast<std::byte*>(data);
}

void Staging::flush() const {
  if (allocation_.is_coherent()) return;
  auto range = blank<VkMappedMemoryRange>(VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE);
  range.memory = allocation_.memory();
  range.size = VK_WHOLE_SIZE;
  check(context_.api.vkFlushMappedMemoryRanges(context_.api.device, 1, &range),
        "vkFlushMappedMemoryRanges()");
}

void Staging::invalidate() const {
  if (allocation_.is_coherent()) return;
  auto range = blank<VkMappedMemoryRange>(VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE);
  range.memory = allocation_.memory();
  range.size = VK_WHOLE_SIZE;
  check(context_.api.vkInvalidateMappedMemoryRanges(context_.api.device, 1, &range),
        "vkInvalidateMappedMemoryRanges()");
}

}  // namespace parallax::vulkan
