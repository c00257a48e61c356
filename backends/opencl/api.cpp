#include "backends/opencl/api.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace parallax::opencl {
namespace {

// NVIDIA reports a kernel that touched memory out of bounds with this code, which no header names.
constexpr cl_int kNvidiaIllegalAccess = -9999;

DeviceError::Kind kind_of(cl_int code, DeviceError::Kind otherwise) {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
      return DeviceError::Kind::out_of_memory;
    case CL_DEVICE_NOT_AVAILABLE:
    case kNvidiaIllegalAccess:
      return DeviceError::Kind::device_lost;
    default:
      return otherwise;
  }
}

}  // namespace

std::variant<Api, Absent> Api::open() {
  constexpr std::array names = {"libOpenCL.so.1", "libOpenCL.so"};
  auto opened = Library::open(names);
  if (auto* absent = std::get_if<Absent>(&opened)) {
    return Absent{fmt::format("no OpenCL loader: {}", absent->reason)};
  }
  const auto& library = std::get<Library>(opened);
  Api api;
#define PARALLAX_CL(function)                                                               \
  api.function = reinterpret_cast<decltype(api.function)>(library.symbol(#function));       \
  if (api.function == nullptr) {                                                            \
    return Absent{fmt::format("the OpenCL loader {} lacks {}", library.name(), #function)}; \
  }
#include "backends/opencl/api.inc"
#undef PARALLAX_CL
  return api;
}

std::string_view status_name(cl_int code) {
  switch (code) {
#define NAME(status) \
  case status:       \
    return #status
    NAME(CL_SUCCESS);
    NAME(CL_DEVICE_NOT_FOUND);
    NAME(CL_DEVICE_NOT_AVAILABLE);
    NAME(CL_COMPILER_NOT_AVAILABLE);
    NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    NAME(CL_OUT_OF_RESOURCES);
    NAME(CL_OUT_OF_HOST_MEMORY);
    NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
    NAME(CL_BUILD_PROGRAM_FAILURE);
    NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
    NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    NAME(CL_LINKER_NOT_AVAILABLE);
    NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    NAME(CL_INVALID_VALUE);
    NAME(CL_INVALID_DEVICE_TYPE);
    NAME(CL_INVALID_PLATFORM);
    NAME(CL_INVALID_DEVICE);
    NAME(CL_INVALID_CONTEXT);
    NAME(CL_INVALID_QUEUE_PROPERTIES);
    NAME(CL_INVALID_COMMAND_QUEUE);
    NAME(CL_INVALID_HOST_PTR);
    NAME(CL_INVALID_MEM_OBJECT);
    NAME(CL_INVALID_BINARY);
    NAME(CL_INVALID_BUILD_OPTIONS);
    NAME(CL_INVALID_PROGRAM);
    NAME(CL_INVALID_PROGRAM_EXECUTABLE);
    NAME(CL_INVALID_KERNEL_NAME);
    NAME(CL_INVALID_KERNEL);
    NAME(CL_INVALID_ARG_INDEX);
    NAME(CL_INVALID_ARG_VALUE);
    NAME(CL_INVALID_ARG_SIZE);
    NAME(CL_INVALID_KERNEL_ARGS);
    NAME(CL_INVALID_WORK_DIMENSION);
    NAME(CL_INVALID_WORK_GROUP_SIZE);
    NAME(CL_INVALID_WORK_ITEM_SIZE);
    NAME(CL_INVALID_GLOBAL_OFFSET);
    NAME(CL_INVALID_EVENT_WAIT_LIST);
    NAME(CL_INVALID_EVENT);
    NAME(CL_INVALID_OPERATION);
    NAME(CL_INVALID_BUFFER_SIZE);
    NAME(CL_INVALID_GLOBAL_WORK_SIZE);
    NAME(CL_INVALID_PROPERTY);
    NAME(CL_PLATFORM_NOT_FOUND_KHR);
#undef NAME
    default:
      return {};
  }
}

void check(cl_int code, std::string_view call, DeviceError::Kind otherwise,
           std::source_location where) {
  if (code == CL_SUCCESS) return;
  throw DeviceError(kind_of(code, otherwise), std::string(call), code,
                    std::string(status_name(code)), {}, where);
}

}  // namespace parallax::opencl
