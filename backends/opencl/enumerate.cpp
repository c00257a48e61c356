#include "backends/opencl/enumerate.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <span>
#include <string_view>

namespace parallax::opencl {
namespace {

/// Reads one text that a query(size, data, size_needed) returns.
template <typename Query>
std::string text_of(const Query& query, std::string_view call) {
  std::size_t size = 0;
  check(query(std::size_t{0}, nullptr, &size), call);
  std::string text(size, '\0');
  check(query(size, text.data(), nullptr), call);
  // The terminating zero is part of the size, and some drivers pad.
  text.resize(std::min(text.find('\0'), text.size()));
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

/// The queries of one device.
class Query {
 public:
  Query(const Api& api, cl_device_id device) : api_(api), device_(device) {
    extensions_ = fmt::format(" {} ", text(CL_DEVICE_EXTENSIONS));
  }

  [[nodiscard]] std::string text(cl_device_info what) const {
    const auto query = [&](std::size_t size, void* data, std::size_t* needed) {
      return api_.clGetDeviceInfo(device_, what, size, data, needed);
    };
    return text_of(query, fmt::format("clGetDeviceInfo(0x{:x})", what));
  }

  template <typename T>
  [[nodiscard]] T value(cl_device_info what) const {
    T result{};
    check(api_.clGetDeviceInfo(device_, what, sizeof result, &result, nullptr),
          fmt::format("clGetDeviceInfo(0x{:x})", what));
    return result;
  }

  /// A fact that we can do without; drivers err most in their extensions.
  template <typename T>
  [[nodiscard]] std::optional<T> optional(cl_device_info what) const {
    try {
      return value<T>(what);
    } catch (const DeviceError&) {
      return std::nullopt;
    }
  }

  [[nodiscard]] bool has(std::string_view extension) const {
    return extensions_.find(fmt::format(" {} ", extension)) != std::string::npos;
  }

 private:
  const Api& api_;
  cl_device_id device_;
  std::string extensions_;
};

std::string hex(std::span<const cl_uchar> bytes) {
  std::string digits;
  for (const cl_uchar byte : bytes) digits += fmt::format("{:02x}", byte);
  return digits;
}

/// Turns "OpenCL 3.0 CUDA" into "3.0".
std::string version_number(std::string_view text) {
  constexpr std::string_view prefix = "OpenCL ";
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return std::string(text.substr(0, text.find(' ')));
}

DeviceType type_of(const Query& query) {
  const auto type = query.value<cl_device_type>(CL_DEVICE_TYPE);
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return DeviceType::cpu;
  if ((type & CL_DEVICE_TYPE_GPU) == 0) return DeviceType::other;
  constexpr cl_device_info kHostUnifiedMemory = 0x1035;  // deprecated in 2.0, still answered
  const bool unified = query.optional<cl_bool>(kHostUnifiedMemory).value_or(CL_FALSE) == CL_TRUE;
  return unified ? DeviceType::integrated_gpu : DeviceType::discrete_gpu;
}

void read_identity(const Query& query, DeviceInfo& info) {
  if (query.has("cl_khr_device_uuid")) {
    using Uuid = std::array<cl_uchar, CL_UUID_SIZE_KHR>;
    if (const auto uuid = query.optional<Uuid>(CL_DEVICE_UUID_KHR)) {
      const std::string digits = hex(*uuid);
      info.uuid = fmt::format("{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4),
                              digits.substr(12, 4), digits.substr(16, 4), digits.substr(20));
    }
    using Luid = std::array<cl_uchar, CL_LUID_SIZE_KHR>;
    if (query.optional<cl_bool>(CL_DEVICE_LUID_VALID_KHR).value_or(CL_FALSE) == CL_TRUE) {
      if (const auto luid = query.optional<Luid>(CL_DEVICE_LUID_KHR)) info.luid = hex(*luid);
    }
  }
  if (query.has("cl_khr_pci_bus_info")) {
    if (const auto pci = query.optional<cl_device_pci_bus_info_khr>(CL_DEVICE_PCI_BUS_INFO_KHR)) {
      info.pci = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci->pci_domain, pci->pci_bus,
                             pci->pci_device, pci->pci_function);
    }
  }
}

Limits limits_of(const Query& query) {
  Limits limits;
  limits.memory_bytes = query.value<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  limits.max_buffer_bytes = query.value<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  limits.max_binding_bytes = limits.max_buffer_bytes;
  limits.max_group_lanes = query.value<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  // The extra room is for devices with more than the three dimensions that the standard asks for.
  const auto sizes = query.value<std::array<std::size_t, 8>>(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  limits.max_group_size = {sizes[0], sizes[1], sizes[2]};
  limits.max_group_count = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  limits.shared_bytes = query.value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
  return limits;
}

std::vector<std::string> features_of(const Query& query) {
  std::vector<std::string> features = {"f16_storage"};  // vload_half needs no extension
  if (query.has("cl_khr_fp16")) features.emplace_back("f16_arithmetic");
  const bool f64 = query.has("cl_khr_fp64") ||
                   query.optional<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG).value_or(0) != 0;
  if (f64) features.emplace_back("f64");
  if (query.has("cl_khr_subgroups") || query.has("cl_intel_subgroups")) {
    features.emplace_back("subgroup");
  }
  return features;
}

Timer timer_of(const Query& query) {
  const auto queue = query.value<cl_command_queue_properties>(CL_DEVICE_QUEUE_PROPERTIES);
  const bool profiling = (queue & CL_QUEUE_PROFILING_ENABLE) != 0;
  const auto resolution = query.value<std::size_t>(CL_DEVICE_PROFILING_TIMER_RESOLUTION);
  return {.source = "opencl_event",
          .period_ns = 1.0,
          .valid_bits = profiling ? 64u : 0u,
          .declared_ns = static_cast<double>(resolution)};
}

struct PlatformTexts {
  std::string name, vendor, version;
};

PlatformTexts platform_texts(const Api& api, cl_platform_id platform) {
  const auto text = [&](cl_platform_info what) {
    const auto query = [&](std::size_t size, void* data, std::size_t* needed) {
      return api.clGetPlatformInfo(platform, what, size, data, needed);
    };
    return text_of(query, fmt::format("clGetPlatformInfo(0x{:x})", what));
  };
  return {text(CL_PLATFORM_NAME), text(CL_PLATFORM_VENDOR), text(CL_PLATFORM_VERSION)};
}

DeviceInfo describe(const Api& api, const PlatformTexts& platform, cl_device_id device) {
  const Query query(api, device);
  DeviceInfo info;
  info.api = "opencl";
  info.name = query.text(CL_DEVICE_NAME);
  info.type = type_of(query);
  info.api_version = version_number(query.text(CL_DEVICE_VERSION));
  info.driver =
      fmt::format("{} ({}, {})", query.text(CL_DRIVER_VERSION), platform.vendor, platform.version);
  info.platform = platform.name;
  read_identity(query, info);
  info.limits = limits_of(query);
  info.features = features_of(query);
  info.timer = timer_of(query);
  return info;
}

std::vector<cl_device_id> devices_of(const Api& api, cl_platform_id platform) {
  cl_uint count = 0;
  check(api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), "clGetDeviceIDs");
  std::vector<cl_device_id> devices(count);
  if (count == 0) return devices;
  check(api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr),
        "clGetDeviceIDs");
  return devices;
}

void add_device(const Api& api, cl_platform_id platform, const PlatformTexts& texts,
                cl_device_id device, Enumeration& result) {
  DeviceInfo info = describe(api, texts, device);
  if (info.api_version.starts_with("1.0") || info.api_version.starts_with("1.1")) {
    result.notes.push_back(fmt::format("platform {}, device {}: OpenCL {}, 1.2 is needed",
                                       texts.name, info.name, info.api_version));
    return;
  }
  info.id = fmt::format("opencl:{}", result.found.size());
  result.found.push_back({platform, device, std::move(info)});
}

void add_platform(const Api& api, cl_platform_id platform, std::size_t index, Enumeration& result) {
  std::string label = fmt::format("platform {}", index);
  try {
    const PlatformTexts texts = platform_texts(api, platform);
    label = fmt::format("platform {}", texts.name);
    for (const cl_device_id device : devices_of(api, platform)) {
      try {
        add_device(api, platform, texts, device, result);
      } catch (const DeviceError& error) {
        result.notes.push_back(fmt::format("{}: a device was skipped: {}", label, error.what()));
      }
    }
  } catch (const DeviceError& error) {
    const bool none = error.code() == CL_DEVICE_NOT_FOUND;
    result.notes.push_back(fmt::format("{}: {}", label, none ? "no device" : error.what()));
  }
}

std::string no_platform() {
  std::string reason = "loader present, no platform installed";
  if (const char* vendors = std::getenv("OCL_ICD_VENDORS")) {
    reason += fmt::format(" (OCL_ICD_VENDORS={})", vendors);
  }
  return reason;
}

}  // namespace

Enumeration enumerate(const Api& api) {
  Enumeration result;
  cl_uint count = 0;
  cl_int code = api.clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(code == CL_SUCCESS ? count : 0);
  if (!platforms.empty()) code = api.clGetPlatformIDs(count, platforms.data(), nullptr);
  if (code != CL_SUCCESS && code != CL_PLATFORM_NOT_FOUND_KHR) {
    result.reason = fmt::format("clGetPlatformIDs returned {} ({})", status_name(code), code);
    return result;
  }
  for (std::size_t i = 0; i < platforms.size(); ++i) add_platform(api, platforms[i], i, result);
  if (platforms.empty()) {
    result.reason = no_platform();
  } else if (result.found.empty()) {
    result.reason = "no platform has a usable device";
  }
  return result;
}

}  // namespace parallax::opencl
