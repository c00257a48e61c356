#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "backends/device.hpp"
#include "backends/vulkan/context.hpp"

namespace parallax::vulkan {

/// A native buffer with memory of its own.
class Allocation {
 public:
  /// Takes the first of `wishes` for which the device has memory.
  /// Errors: throws DeviceError, of kind out_of_memory when memory runs out.
  Allocation(const Context& context, std::uint64_t size_bytes, VkBufferUsageFlags usage,
             std::span<const VkMemoryPropertyFlags> wishes);

  [[nodiscard]] VkBuffer buffer() const { return buffer_.get(); }
  [[nodiscard]] VkDeviceMemory memory() const { return memory_.get(); }
  [[nodiscard]] bool is_coherent() const { return is_coherent_; }

 private:
  OwnedMemory memory_;  // before the buffer, which must die first
  OwnedBuffer buffer_;
  bool is_coherent_ = false;
};

/// A device-local buffer for kernels and copies.
class Buffer final : public parallax::Buffer {
 public:
  Buffer(Context& context, std::uint64_t size_bytes);
  [[nodiscard]] VkBuffer handle() const { return allocation_.buffer(); }

 private:
  Live live_;
  Allocation allocation_;
};

/// Returns the native handle of a buffer that the backend made.
VkBuffer native(const parallax::Buffer& buffer);

/// Mapped host memory that copies pass through, piece by piece, so that a copy of any size needs
/// little host memory.
class Staging {
 public:
  static constexpr std::uint64_t kSizeBytes = std::uint64_t{64} << 20;

  explicit Staging(const Context& context);
  [[nodiscard]] VkBuffer buffer() const { return allocation_.buffer(); }
  [[nodiscard]] std::byte* data() const { return data_; }

  /// Makes host writes visible to the device. Order: before the submission.
  void flush() const;
  /// Makes device writes visible to the host. Order: after the wait.
  void invalidate() const;

 private:
  const Context& context_;
  Allocation allocation_;
  std::byte* data_ = nullptr;  ///< mapped until the memory is freed
};

}  // namespace parallax::vulkan
