/// The tables that shaders/CMakeLists.txt generates; only device_code.cpp reads them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

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

struct SourceHash {
  std::string_view file;  ///< "workload/variant.cu"
  std::string_view hash;
};

std::span<const EmbeddedCode> embedded_code();
std::span<const SourceHash> source_hashes();

/// Options of the build's compiler that change what code computes or how fast.
std::vector<std::string> build_flags(CodeForm form);
std::span<const EmbeddedHostKernel> embedded_host_kernels();

}  // namespace parallax
