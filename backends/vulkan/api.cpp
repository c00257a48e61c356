#include "backends/vulkan/api.hpp"

#include <fmt/format.h>

namespace parallax::vulkan {
namespace {

template <typename Function>
Function require(Function function, const char* name) {
  if (function == nullptr) {
    throw DeviceError(DeviceError::Kind::failed, fmt::format("look-up of {}", name),
                      VK_ERROR_EXTENSION_NOT_PRESENT, "no such function");
  }
  return function;
}

DeviceError::Kind kind_of(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_TOO_MANY_OBJECTS:
      return DeviceError::Kind::out_of_memory;
    case VK_ERROR_DEVICE_LOST:
      return DeviceError::Kind::device_lost;
    case VK_ERROR_INVALID_SHADER_NV:
      return DeviceError::Kind::build_failed;
    default:
      return DeviceError::Kind::failed;
  }
}

}  // namespace

GlobalApi load_global(PFN_vkGetInstanceProcAddr get) {
  GlobalApi api;
#define PARALLAX_VK_GLOBAL(name) \
  api.name = reinterpret_cast<PFN_##name>(get(VK_NULL_HANDLE, #name));
#include "backends/vulkan/api.inc"
  return api;
}

InstanceApi load_instance(PFN_vkGetInstanceProcAddr get, VkInstance instance) {
  InstanceApi api;
  api.instance = instance;
#define PARALLAX_VK_INSTANCE(name) \
  api.name = require(reinterpret_cast<PFN_##name>(get(instance, #name)), #name);
#include "backends/vulkan/api.inc"
  return api;
}

DeviceApi load_device(PFN_vkGetDeviceProcAddr get, VkDevice device) {
  DeviceApi api;
  api.device = device;
#define PARALLAX_VK_DEVICE(name) \
  api.name = require(reinterpret_cast<PFN_##name>(get(device, #name)), #name);
#define PARALLAX_VK_OPTIONAL(name) api.name = reinterpret_cast<PFN_##name>(get(device, #name));
#include "backends/vulkan/api.inc"
  return api;
}

void fail(VkResult result, std::string_view call, std::source_location where) {
  throw DeviceError(kind_of(result), std::string(call), result, std::string(to_string(result)), {},
                    where);
}

std::string_view to_string(VkResult result) {
#define PARALLAX_VK_NAME(code) \
  case code:                   \
    return #code;
  switch (result) {
    PARALLAX_VK_NAME(VK_SUCCESS)
    PARALLAX_VK_NAME(VK_NOT_READY)
    PARALLAX_VK_NAME(VK_TIMEOUT)
    PARALLAX_VK_NAME(VK_INCOMPLETE)
    PARALLAX_VK_NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
    PARALLAX_VK_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    PARALLAX_VK_NAME(VK_ERROR_INITIALIZATION_FAILED)
    PARALLAX_VK_NAME(VK_ERROR_DEVICE_LOST)
    PARALLAX_VK_NAME(VK_ERROR_MEMORY_MAP_FAILED)
    PARALLAX_VK_NAME(VK_ERROR_LAYER_NOT_PRESENT)
    PARALLAX_VK_NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
    PARALLAX_VK_NAME(VK_ERROR_FEATURE_NOT_PRESENT)
    PARALLAX_VK_NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
    PARALLAX_VK_NAME(VK_ERROR_TOO_MANY_OBJECTS)
    PARALLAX_VK_NAME(VK_ERROR_FRAGMENTED_POOL)
    PARALLAX_VK_NAME(VK_ERROR_UNKNOWN)
    PARALLAX_VK_NAME(VK_ERROR_OUT_OF_POOL_MEMORY)
    PARALLAX_VK_NAME(VK_ERROR_FRAGMENTATION)
    PARALLAX_VK_NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE)
    PARALLAX_VK_NAME(VK_ERROR_VALIDATION_FAILED_EXT)
    PARALLAX_VK_NAME(VK_ERROR_INVALID_SHADER_NV)
    default:
      return "";
  }
#undef PARALLAX_VK_NAME
}

}  // namespace parallax::vulkan
