#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "backends/device.hpp"
#include "backends/vulkan/buffer.hpp"
#include "backends/vulkan/context.hpp"
#include "backends/vulkan/kernel.hpp"
#include "backends/vulkan/physical.hpp"

namespace parallax::vulkan {

/// Timestamps of one bracket: start of the lead-in, its end (T0), end of the last launch (T1).
inline constexpr std::uint32_t kQueries = 3;

/// One opened Vulkan device: one queue, and what every call uses again so that no call allocates
/// inside its bracket.
class Device final : public parallax::Device {
 public:
  /// Order:  `instance` outlives the device.
  /// Errors: throws DeviceError when the driver refuses.
  Device(const Instance& instance, const Physical& physical);
  ~Device() override;

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  std::unique_ptr<parallax::Buffer> allocate(std::uint64_t size_bytes) override;
  KernelOrReason find_kernel(std::string_view name, Extent3 group_size) override;
  Timing write(parallax::Buffer& buffer, std::span<const std::byte> bytes) override;
  Timing read(const parallax::Buffer& buffer, std::span<std::byte> bytes) override;
  Timing fill(parallax::Buffer& buffer, std::uint32_t pattern) override;
  Timing run(std::span<const Launch> lead_in, std::span<const Launch> launches,
             std::uint32_t repeats) override;

 private:
  /// Points one descriptor set at the buffers of each launch, growing the pool as needed.
  void bind(std::span<const Launch> lead_in, std::span<const Launch> launches);
  void record(std::span<const Launch> lead_in, std::span<const Launch> launches,
              std::uint32_t repeats, bool timed);
  void record_sequence(std::span<const Launch> launches, std::span<const VkDescriptorSet> sets,
                       std::uint32_t repeats);
  void record_timestamp(std::uint32_t query);
  void read_timestamps(Timing& timing) const;

  struct Scope {
    VkPipelineStageFlags stages;
    VkAccessFlags access;
  };

  void begin();
  void end();
  void barrier(Scope before, Scope after);
  /// Holds everything that follows back until everything before is done and visible.
  void full_barrier();
  /// Submits the recorded commands and waits for them.
  /// Units:  nanoseconds on the host clock, from just before the submission to its completion.
  double submit();

  Staging& staging();
  void record_copy(VkBuffer from, std::uint64_t from_offset, VkBuffer to, std::uint64_t to_offset,
                   std::uint64_t size_bytes);

  DeviceInfo info_;
  Context context_;
  Layout layout_;
  OwnedCommandPool command_pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;  ///< belongs to the pool
  OwnedFence fence_;
  OwnedQueryPool queries_;  ///< empty where the queue has no clock
  OwnedDescriptorPool descriptor_pool_;
  std::vector<VkDescriptorSet> sets_;  ///< belong to the pool
  std::unique_ptr<Staging> staging_;   ///< made by the first copy
};

}  // namespace parallax::vulkan
