#include "backends/device_code.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/device_code_table.hpp"

namespace parallax {
namespace {

std::string_view extension(CodeForm form) {
  switch (form) {
    case CodeForm::fatbin:
      return ".cu";
    case CodeForm::opencl_c:
      return ".cl";
    case CodeForm::spirv:
      return ".comp";
    case CodeForm::host:
      break;
  }
  return ".cpp";
}

/// Hash of the file that "workload/variant/dtype" was compiled from.
std::string source_hash(CodeForm form, std::string_view name) {
  std::string file(name.substr(0, name.rfind('/')));
  file += extension(form);
  const auto found = std::ranges::find(source_hashes(), file, &SourceHash::file);
  return found == source_hashes().end() ? std::string{} : std::string(found->hash);
}

std::string_view spelled(CodeForm form) {
  switch (form) {
    case CodeForm::fatbin:
      return "CUDA";
    case CodeForm::opencl_c:
      return "OpenCL C";
    case CodeForm::host:
      return "host";
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
    return DeviceCode{entry.bytes, source_hash(form, name), build_flags(form)};
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

HostCode find_host_code(std::string_view name) {
  return {find_host_kernel(name), source_hash(CodeForm::host, name), build_flags(CodeForm::host)};
}

HostKernel find_host_kernel(std::string_view name) {
  for (const EmbeddedHostKernel& entry : embedded_host_kernels()) {
    if (entry.name == name) return entry.function;
  }
  return nullptr;
}

}  // namespace parallax
