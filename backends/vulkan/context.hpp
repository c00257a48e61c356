#pragma once

#include "backends/vulkan/api.hpp"
#include "backends/vulkan/physical.hpp"

namespace parallax::vulkan {

/// The native device, and what its buffers and kernels need of it. They die before it.
struct Context {
  /// Errors: throws DeviceError when the driver refuses.
  Context(const Instance& instance, const Physical& physical);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Owns `handle`, an object of this device, as `Owner` (OwnedFence, ...).
  template <typename Owner, typename T>
  [[nodiscard]] Owner own(T handle) const {
    return Owner(handle, {&api});
  }

  /// Returns the first memory type among `allowed` that has all `flags`, or nothing. The driver
  /// lists the plainest and fastest first.
  [[nodiscard]] std::optional<std::uint32_t> memory_type(std::uint32_t allowed,
                                                         VkMemoryPropertyFlags flags) const;

  OwnedDevice device;
  DeviceApi api;
  VkQueue queue = VK_NULL_HANDLE;
  std::uint32_t queue_family;
  Features features;
  bool has_executables;
  VkPhysicalDeviceMemoryProperties memory;
  Limits limits;
  int live_objects = 0;  ///< buffers and kernels, counted to catch one that outlives the device
};

/// Counts one live object for as long as it exists.
class Live {
 public:
  explicit Live(Context& context) : count_(context.live_objects) { ++count_; }
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;
  ~Live() { --count_; }

 private:
  int& count_;
};

}  // namespace parallax::vulkan
