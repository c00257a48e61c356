#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "backends/vulkan/api.hpp"

namespace parallax::vulkan {

/// Features of a device: what it offers, or what is switched on. Copying is safe: the links
/// between the parts are made by chain().
struct Features {
  VkPhysicalDeviceFeatures2 core =
      blank<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  VkPhysicalDeviceVulkan11Features v11 = blank<VkPhysicalDeviceVulkan11Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
  VkPhysicalDeviceVulkan12Features v12 = blank<VkPhysicalDeviceVulkan12Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables =
      blank<VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR);
  /// Operations that compute shaders may do within a subgroup. A property, not a switch, but kernels
  /// ask for it in the same way.
  VkSubgroupFeatureFlags subgroup_operations = 0;

  /// Links the parts and returns the head of the chain, valid while this object stays in place.
  /// Order:  `with_executables` only where VK_KHR_pipeline_executable_properties is present.
  VkPhysicalDeviceFeatures2* chain(bool with_executables);
};

/// Returns the part of `offered` that the backend and its kernels can use, and nothing else: a
/// feature that is on without need may cost something.
Features used_features(const Features& offered);

/// Says which of the SPIR-V capabilities that a module declares is not switched on, or nothing.
/// Order:  a capability that the backend does not know counts as missing: drivers may crash on it.
std::optional<std::string> missing_capability(std::span<const std::uint32_t> declared,
                                              const Features& enabled);

}  // namespace parallax::vulkan
