/// Vulkan as the backend sees it: tables of functions opened at run time, one check for every
/// result, and owners for handles. The tables are values that belong to an instance or a device,
/// so nothing here is global.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <source_location>
#include <string_view>
#include <vector>

#include "backends/error.hpp"
#include "backends/handle.hpp"

namespace parallax::vulkan {

/// Functions that need no instance. Null on a loader that lacks them.
struct GlobalApi {
#define PARALLAX_VK_GLOBAL(name) PFN_##name name = nullptr;
#include "backends/vulkan/api.inc"
};

/// Functions of one instance.
struct InstanceApi {
  VkInstance instance = VK_NULL_HANDLE;  ///< not owned
#define PARALLAX_VK_INSTANCE(name) PFN_##name name = nullptr;
#include "backends/vulkan/api.inc"
};

/// Functions of one device, fetched past the loader so that a call costs no dispatch.
struct DeviceApi {
  VkDevice device = VK_NULL_HANDLE;  ///< not owned
#define PARALLAX_VK_DEVICE(name) PFN_##name name = nullptr;
#define PARALLAX_VK_OPTIONAL(name) PFN_##name name = nullptr;
#include "backends/vulkan/api.inc"
};

GlobalApi load_global(PFN_vkGetInstanceProcAddr get);

/// Errors: throws DeviceError naming the first function that the driver lacks.
InstanceApi load_instance(PFN_vkGetInstanceProcAddr get, VkInstance instance);

/// Errors: throws DeviceError naming the first function that the driver lacks; those of an
///         extension may stay null.
DeviceApi load_device(PFN_vkGetDeviceProcAddr get, VkDevice device);

/// Throws the DeviceError that `result` stands for.
[[noreturn]] void fail(VkResult result, std::string_view call, std::source_location where);

/// Checks the result of every native call; anything but VK_SUCCESS throws DeviceError.
/// Order:  `call` is the call's text, "vkFoo(what matters)".
inline void check(VkResult result, std::string_view call,
                  std::source_location where = std::source_location::current()) {
  if (result != VK_SUCCESS) [[unlikely]]
    fail(result, call, where);
}

/// Names a result as the specification spells it, or "" for one that it does not know.
std::string_view to_string(VkResult result);

/// Returns a structure of zeros with its type set, ready to be filled in.
template <typename T>
T blank(VkStructureType type) {
  T structure{};
  structure.sType = type;
  return structure;
}

/// Collects what a two-call enumeration returns: call(&count, nullptr), then call(&count, items).
/// Errors: throws DeviceError when the call fails.
template <typename T, typename Call>
std::vector<T> enumerate(std::string_view text, Call call, T item = {},
                         std::source_location where = std::source_location::current()) {
  std::vector<T> items;
  VkResult result = VK_INCOMPLETE;  // also what a list that grew between the calls gives
  while (result == VK_INCOMPLETE) {
    std::uint32_t count = 0;
    check(call(&count, nullptr), text, where);
    items.assign(count, item);
    result = call(&count, items.data());
    items.resize(count);
  }
  check(result, text, where);
  return items;
}

/// Gives an object of a device back through one of the device's functions.
template <auto DeviceApi::*Destroy>
struct Destroyer {
  const DeviceApi* api = nullptr;
  template <typename T>
  void operator()(T handle) const noexcept {
    (api->*Destroy)(api->device, handle, nullptr);
  }
};

using OwnedBuffer = Handle<VkBuffer, Destroyer<&DeviceApi::vkDestroyBuffer>>;
using OwnedMemory = Handle<VkDeviceMemory, Destroyer<&DeviceApi::vkFreeMemory>>;
using OwnedFence = Handle<VkFence, Destroyer<&DeviceApi::vkDestroyFence>>;
using OwnedQueryPool = Handle<VkQueryPool, Destroyer<&DeviceApi::vkDestroyQueryPool>>;
using OwnedCommandPool = Handle<VkCommandPool, Destroyer<&DeviceApi::vkDestroyCommandPool>>;
using OwnedDescriptorPool =
    Handle<VkDescriptorPool, Destroyer<&DeviceApi::vkDestroyDescriptorPool>>;
using OwnedSetLayout =
    Handle<VkDescriptorSetLayout, Destroyer<&DeviceApi::vkDestroyDescriptorSetLayout>>;
using OwnedPipelineLayout =
    Handle<VkPipelineLayout, Destroyer<&DeviceApi::vkDestroyPipelineLayout>>;
using OwnedShaderModule = Handle<VkShaderModule, Destroyer<&DeviceApi::vkDestroyShaderModule>>;
using OwnedPipeline = Handle<VkPipeline, Destroyer<&DeviceApi::vkDestroyPipeline>>;

/// Gives a device or an instance back.
template <typename Function>
struct RootDestroyer {
  Function destroy = nullptr;
  template <typename T>
  void operator()(T handle) const noexcept {
    destroy(handle, nullptr);
  }
};

using OwnedInstance = Handle<VkInstance, RootDestroyer<PFN_vkDestroyInstance>>;
using OwnedDevice = Handle<VkDevice, RootDestroyer<PFN_vkDestroyDevice>>;

}  // namespace parallax::vulkan
