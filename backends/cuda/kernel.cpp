#include <fmt/format.h>

#include <array>

#include "backends/checks.hpp"
#include "backends/cuda/device.hpp"
#include "backends/device_code.hpp"

namespace parallax::cuda {
namespace {

Owner<cudaLibrary_t> load_library(std::span<const std::byte> code) {
  // Embedded code outlives every library, so the driver need not copy it.
  std::array options = {cudaLibraryBinaryIsPreserved};
  std::array<void*, 1> values = {reinterpret_cast<void*>(std::uintptr_t{1})};
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, options.data(),
                            values.data(), options.size()),
        "cudaLibraryLoadData");
  return {library, cudaLibraryUnload};
}

/// Asks for what the compiler decided. With lazy loading this is also what brings the code to the
/// device, which must not happen in a timed bracket.
std::optional<cudaFuncAttributes> attributes_of(cudaKernel_t kernel) {
  cudaFuncAttributes attributes{};
  const cudaError_t code = cudaFuncGetAttributes(&attributes, kernel);
  if (code == cudaErrorInvalidDeviceFunction) {
    (void)cudaGetLastError();
    return std::nullopt;
  }
  check(code, "cudaFuncGetAttributes");
  return attributes;
}

}  // namespace

std::string Device::compute_capability() const {
  int major = 0, minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal_),
        "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal_),
        "cudaDeviceGetAttribute");
  return fmt::format("{}.{}", major, minor);
}

KernelOrReason Device::load(std::string_view name, std::span<const std::byte> code,
                            KernelFacts facts, Extent3 group_size) {
  const auto start = Clock::now();
  auto library = load_library(code);
  cudaKernel_t kernel = nullptr;
  check(cudaLibraryGetKernel(&kernel, library.get(), kernel_symbol(name).c_str()),
        "cudaLibraryGetKernel");
  const auto attributes = attributes_of(kernel);
  facts.build_ns = ns_between(start, Clock::now());
  if (attributes) {
    const auto lanes = static_cast<std::uint64_t>(attributes->maxThreadsPerBlock);
    if (group_size.count() > lanes) {
      return Absent{fmt::format("a group has {} lanes, this kernel allows {} on the device",
                                group_size.count(), lanes)};
    }
    facts.registers = static_cast<std::uint32_t>(attributes->numRegs);
    facts.shared_bytes = static_cast<std::uint32_t>(attributes->sharedSizeBytes);
    facts.spill_bytes = static_cast<std::uint32_t>(attributes->localSizeBytes);
    facts.flags.push_back(fmt::format("sm_{}", attributes->binaryVersion));
  }
  return std::make_unique<Kernel>(std::move(facts), std::move(library), kernel, group_size, live_);
}

KernelOrReason Device::find_kernel(std::string_view name, Extent3 group_size) {
  auto code = find_device_code(CodeForm::fatbin, name);
  if (auto* absent = std::get_if<Absent>(&code)) return std::move(*absent);
  if (auto reason = dtype_unsupported(info_, name)) return Absent{*reason};
  if (auto reason = group_over_limits(info_, group_size)) return Absent{*reason};
  auto& [bytes, hash, flags] = std::get<DeviceCode>(code);
  KernelFacts facts;
  facts.source_hash = std::move(hash);
  facts.flags = std::move(flags);
  make_current();
  try {
    return load(name, bytes, std::move(facts), group_size);
  } catch (const DeviceError& error) {
    // Loading is lazy, so any of its calls may be the one that misses the code.
    if (error.code() != cudaErrorNoKernelImageForDevice) throw;
  }
  return Absent{
      fmt::format("no code for compute capability {} in this build", compute_capability())};
}

}  // namespace parallax::cuda
