#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "backends/device.hpp"
#include "backends/vulkan/api.hpp"

namespace parallax::vulkan {

/// One Vulkan instance. Devices use its functions and must die before it.
class Instance {
 public:
  /// Opens the loader and creates an instance.
  /// Errors: returns Absent where there is no loader, none that is new enough, or no driver; throws
  ///         DeviceError for any other failure.
  static std::variant<std::unique_ptr<Instance>, Absent> create();

  [[nodiscard]] const InstanceApi& api() const { return api_; }

  /// The version that the instance was created for: a device offers no more than this.
  [[nodiscard]] std::uint32_t api_version() const { return api_version_; }

  /// Lists the physical devices in the loader's order, which stays the same.
  [[nodiscard]] std::vector<VkPhysicalDevice> physical_devices() const;

 private:
  Instance(PFN_vkGetInstanceProcAddr get, VkInstance instance, std::uint32_t api_version)
      : api_(load_instance(get, instance)),
        owner_(instance, {api_.vkDestroyInstance}),
        api_version_(api_version) {}

  InstanceApi api_;
  OwnedInstance owner_;
  std::uint32_t api_version_;
};

}  // namespace parallax::vulkan
