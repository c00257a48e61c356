#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/device.hpp"

namespace parallax {

/// Form in which device code is embedded.
enum class CodeForm {
  fatbin,    ///< CUDA fat binary; entry point kernel_symbol(name)
  opencl_c,  ///< OpenCL C 1.2 text with its includes resolved; entry point kernel_symbol(name)
  spirv,     ///< SPIR-V 1.3 module, little-endian words; entry point "main"
  host       ///< C++ function of this binary
};

/// Embedded code of one kernel.
struct DeviceCode {
  std::span<const std::byte> bytes;
  std::string hash;                ///< of the source with its includes, 16 hex digits
  std::vector<std::string> flags;  ///< options of the compiler that the build ran
};

/// Finds embedded code by form and "workload/variant/dtype".
/// Errors: returns Absent with a reason: no source for this API, or left out by the build.
std::variant<DeviceCode, Absent> find_device_code(CodeForm form, std::string_view name);

/// Says why there is no embedded code of a form for a kernel, or nothing.
std::optional<std::string> lacks_device_code(CodeForm form, std::string_view name);

/// Turns "workload/variant/dtype" into the entry point's name, "workload_variant_dtype".
std::string kernel_symbol(std::string_view name);

/// One group of a host kernel: the whole group runs in one call, lane by lane.
struct HostGroup {
  Extent3 group;       ///< index of this group
  Extent3 groups;      ///< groups in the launch
  Extent3 group_size;  ///< lanes in a group
  std::span<std::byte* const> buffers;
  std::span<const std::byte> constants;
};
using HostKernel = void (*)(const HostGroup&);

/// A host kernel and where it comes from.
struct HostCode {
  HostKernel function = nullptr;  ///< nullptr: no such kernel
  std::string hash;               ///< as of DeviceCode
  std::vector<std::string> flags;
};
HostCode find_host_code(std::string_view name);

/// Finds a host kernel, or nullptr.
HostKernel find_host_kernel(std::string_view name);

}  // namespace parallax
