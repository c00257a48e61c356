#include "backends/cuda/enumerate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "backends/cuda/check.hpp"

namespace parallax::cuda {
namespace {

std::string spelled(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// The newest CUDA that the driver supports; 0 without a driver.
int driver_version() {
  int version = 0;
  check(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
  return version;
}

/// Reads "580.159" from "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159  ...", whose
/// words differ between the open and the proprietary module.
std::string module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const bool digits = word.find_first_not_of("0123456789.") == std::string::npos;
    if (digits && word.find('.') != std::string::npos) return word;
  }
  return {};
}

std::string driver_text() {
  const std::string cuda = fmt::format("CUDA {}", spelled(driver_version()));
  const std::string module = module_version();
  return module.empty() ? cuda : fmt::format("{} ({})", module, cuda);
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text;
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

/// The runtime spells the domain with four or eight digits depending on its age.
std::string pci_text(const cudaDeviceProp& properties) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", properties.pciDomainID, properties.pciBusID,
                     properties.pciDeviceID);
}

Limits limits_of(const cudaDeviceProp& properties) {
  const auto size = [](int value) { return static_cast<std::uint64_t>(value); };
  Limits limits;
  limits.memory_bytes = properties.totalGlobalMem;
  limits.max_buffer_bytes = limits.memory_bytes;
  limits.max_binding_bytes = limits.memory_bytes;
  limits.max_group_lanes = size(properties.maxThreadsPerBlock);
  std::ranges::transform(properties.maxThreadsDim, limits.max_group_size.begin(), size);
  std::ranges::transform(properties.maxGridSize, limits.max_group_count.begin(), size);
  limits.shared_bytes = properties.sharedMemPerBlock;
  return limits;
}

DeviceInfo describe(int ordinal) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
  DeviceInfo info;
  info.id = fmt::format("cuda:{}", ordinal);
  info.api = "cuda";
  info.name = properties.name;
  info.type = properties.integrated != 0 ? DeviceType::integrated_gpu : DeviceType::discrete_gpu;
  info.api_version = spelled(CUDART_VERSION);
  info.driver = driver_text();
  info.uuid = uuid_text(properties.uuid);
  info.pci = pci_text(properties);
  info.limits = limits_of(properties);
  info.l2_bytes = static_cast<std::uint64_t>(properties.l2CacheSize);
  info.subgroup_size = static_cast<std::uint32_t>(properties.warpSize);
  // Every architecture that nvcc still compiles for has all of them.
  info.features = {"f16_storage", "f16_arithmetic", "f64", "subgroup"};
  info.timer = {.source = "cuda_event", .period_ns = 1.0, .valid_bits = 64, .declared_ns = 500.0};
  return info;
}

/// Says why cudaGetDeviceCount failed, for the two answers that every machine without a usable GPU
/// gives, and in the runtime's words for the rest.
std::string why_none(cudaError_t code) {
  if (code == cudaErrorInsufficientDriver) {
    const int version = driver_version();
    if (version == 0) return "no NVIDIA driver: cannot open libcuda.so.1";
    return fmt::format("driver too old for CUDA {}: it supports CUDA {}", spelled(CUDART_VERSION),
                       spelled(version));
  }
  if (code == cudaErrorNoDevice || code == cudaSuccess) {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return visible == nullptr
               ? "NVIDIA driver present, no device"
               : fmt::format("NVIDIA driver present, no device (CUDA_VISIBLE_DEVICES={})", visible);
  }
  return fmt::format("cudaGetDeviceCount returned {} ({}): {}", cudaGetErrorName(code),
                     static_cast<int>(code), cudaGetErrorString(code));
}

}  // namespace

DeviceList enumerate() {
  DeviceList list;
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) {
    (void)cudaGetLastError();
    count = 0;  // left untouched by a failing call
  }
  try {
    if (count == 0) list.reason = why_none(code);
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      try {
        list.devices.push_back(describe(ordinal));
      } catch (const DeviceError& error) {
        list.notes.push_back(fmt::format("device {} was skipped: {}", ordinal, error.what()));
      }
    }
    if (count != 0 && list.devices.empty()) list.reason = "no device answers";
  } catch (const DeviceError& error) {
    list.reason = error.what();
  }
  return list;
}

}  // namespace parallax::cuda
