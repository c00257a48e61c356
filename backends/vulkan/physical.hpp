#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "backends/device.hpp"
#include "backends/vulkan/features.hpp"
#include "backends/vulkan/instance.hpp"

namespace parallax::vulkan {

/// A physical device that the backend can use, and what is needed to open it.
struct Physical {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  DeviceInfo info;
  std::uint32_t queue_family = 0;
  Features features;                    ///< to be switched on
  std::vector<const char*> extensions;  ///< to be enabled
  bool has_executables = false;         ///< VK_KHR_pipeline_executable_properties is among them
  VkPhysicalDeviceMemoryProperties memory{};
};

/// Gathers the facts of one physical device without creating a device.
/// Errors: returns Absent, naming the device, where it lacks what the backend needs; throws
///         DeviceError when a call fails.
std::variant<Physical, Absent> describe(const Instance& instance, VkPhysicalDevice handle,
                                        std::size_t index);

}  // namespace parallax::vulkan
