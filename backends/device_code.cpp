#include "backends/device_code.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/device_code_table.hpp"

namespace parallax {
namespace {

std::string fnv1a(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::byte b : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3u;
  return fmt::format("{:016x}", hash);
}

std::string_view spelled(CodeForm form) {
  switch (form) {
    case CodeForm::fatbin:
      return "CUDA";
    case CodeForm::opencl_c:
      return "OpenCL C";
    case CodeForm::spirv:
      break;
  }
  return "GLSL";
}

}  // namespace

std::variant<DeviceCode, Absent> find_device_code(CodeForm form, std::string_view name) {
  for (const EmbeddedCode& entry : embedded_code()) {
    if (entry.form != form || entry.name != name) continue;
    if (!entry.left_out.empty()) return Absent{std::string(entry.left_out)};
    return DeviceCode{entry.bytes, fnv1a(entry.bytes)};
  }
  return Absent{fmt::format("no {} kernel {}", spelled(form), name)};
}

std::optional<std::string> lacks_device_code(CodeForm form, std::string_view name) {
  const auto found = find_device_code(form, name);
  if (const auto* absent = std::get_if<Absent>(&found)) return absent->reason;
  return std::nullopt;
}

std::string kernel_symbol(std::string_view name) {
  std::string symbol(name);
  std::replace(symbol.begin(), symbol.end(), '/', '_');
  return symbol;
}

HostKernel find_host_kernel(std::string_view name) {
  for (const EmbeddedHostKernel& entry : embedded_host_kernels()) {
    if (entry.name == name) return entry.function;
  }
  return nullptr;
}

}  // namespace parallax
