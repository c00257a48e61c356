/// The tables that shaders/CMakeLists.txt generates; only device_code.cpp reads them.
#pragma once

#include <span>
#include <string_view>

#include "backends/device_code.hpp"

namespace parallax {

struct EmbeddedCode {
  CodeForm form;
  std::string_view name;
  std::span<const std::byte> bytes;
  std::string_view left_out;  ///< why the build has no bytes; empty otherwise
};

struct EmbeddedHostKernel {
  std::string_view name;
  HostKernel function;
};

std::span<const EmbeddedCode> embedded_code();
std::span<const EmbeddedHostKernel> embedded_host_kernels();

}  // namespace parallax
