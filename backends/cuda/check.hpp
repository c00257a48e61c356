/// The one check that every CUDA call passes through, and owners for CUDA handles.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <string_view>

#include "backends/error.hpp"
#include "backends/handle.hpp"

namespace parallax::cuda {

/// Throws DeviceError unless `code` is cudaSuccess, and clears the runtime's own record of it, so
/// that a later cudaGetLastError() does not report it a second time.
void check(cudaError_t code, std::string_view call,
           std::source_location where = std::source_location::current());

/// Owns one CUDA handle or allocation; given back through the runtime's own function.
template <typename T>
using Owner = Handle<T, cudaError_t (*)(T)>;

}  // namespace parallax::cuda
