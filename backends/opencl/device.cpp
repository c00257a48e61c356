#include "backends/opencl/device.hpp"

#include <cassert>

namespace parallax::opencl {
namespace {

Owner<cl_context> make_context(const Api& api, const Found& found) {
  const std::array<cl_context_properties, 3> properties = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(found.platform), 0};
  cl_int code = CL_SUCCESS;
  cl_context context =
      api.clCreateContext(properties.data(), 1, &found.device, nullptr, nullptr, &code);
  check(code, "clCreateContext");
  return {context, api.clReleaseContext};
}

Owner<cl_command_queue> make_queue(const Api& api, cl_context context, const Found& found) {
  const cl_command_queue_properties flags =
      found.info.timer.valid_bits != 0 ? CL_QUEUE_PROFILING_ENABLE : 0;
  cl_int code = CL_SUCCESS;
  cl_command_queue queue = nullptr;
  // A driver for OpenCL 1.x has no entry for the newer call in its table.
  if (found.info.api_version.starts_with("1.")) {
    queue = api.clCreateCommandQueue(context, found.device, flags, &code);
    check(code, "clCreateCommandQueue");
  } else {
    const std::array<cl_queue_properties, 3> properties = {CL_QUEUE_PROPERTIES, flags, 0};
    queue = api.clCreateCommandQueueWithProperties(context, found.device, properties.data(), &code);
    check(code, "clCreateCommandQueueWithProperties");
  }
  return {queue, api.clReleaseCommandQueue};
}

}  // namespace

Device::Device(const Api& api, const Found& found)
    : api_(api),
      info_(found.info),
      device_(found.device),
      context_(make_context(api, found)),
      queue_(make_queue(api, context_.get(), found)) {}

Device::~Device() { assert(live_ == 0 && "buffers and kernels must die before their device"); }

}  // namespace parallax::opencl
