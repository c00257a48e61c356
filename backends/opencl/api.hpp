/// OpenCL as this backend sees it: the functions of a loader opened at run time, the one check that
/// every call passes through, and owners for its handles. Nothing links libOpenCL.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
// clCreateCommandQueue is the only way to a queue on OpenCL 1.2.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <source_location>
#include <string_view>
#include <variant>

#include "backends/device.hpp"
#include "backends/error.hpp"
#include "backends/handle.hpp"
#include "backends/library.hpp"

namespace parallax::opencl {

/// The functions of api.inc, under their own names: api.clFlush(queue).
struct Api {
#define PARALLAX_CL(function) decltype(&::function) function = nullptr;
#include "backends/opencl/api.inc"
#undef PARALLAX_CL

  /// Opens the ICD loader.
  /// Errors: returns Absent when there is no loader or it lacks a function.
  static std::variant<Api, Absent> open();
};

/// Names an OpenCL status as the headers spell it; empty for an unknown one.
std::string_view status_name(cl_int code);

/// Throws DeviceError unless `code` is CL_SUCCESS.
/// `otherwise` is the kind for codes that do not tell by themselves what happened: after a wait,
/// CL_OUT_OF_RESOURCES means that a kernel killed the context; in an allocation, a lack of memory.
void check(cl_int code, std::string_view call,
           DeviceError::Kind otherwise = DeviceError::Kind::failed,
           std::source_location where = std::source_location::current());

/// Owns one OpenCL object; released through the loader's own function.
template <typename T>
using Owner = Handle<T, cl_int (*)(T)>;

}  // namespace parallax::opencl
