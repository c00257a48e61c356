#include <fmt/format.h>

#include "backends/checks.hpp"
#include "backends/opencl/device.hpp"

namespace parallax::opencl {
namespace {

const Buffer& native(const parallax::Buffer& buffer) { return static_cast<const Buffer&>(buffer); }

Timing host_only(Clock::time_point start) {
  return {.device_ns = {},
          .leadin_ns = {},
          .enqueue_ns = {},
          .host_ns = ns_between(start, Clock::now())};
}

}  // namespace

std::unique_ptr<parallax::Buffer> Device::allocate(std::uint64_t size_bytes) {
  check_allocate(size_bytes);
  const std::string call = fmt::format("clCreateBuffer({} bytes)", size_bytes);
  cl_int code = CL_SUCCESS;
  cl_mem memory =
      api_.clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, size_bytes, nullptr, &code);
  const auto no_room = DeviceError::Kind::out_of_memory;
  check(code, call, code == CL_OUT_OF_RESOURCES ? no_room : DeviceError::Kind::failed);
  auto buffer = std::make_unique<Buffer>(size_bytes, next_serial_++,
                                         Owner<cl_mem>(memory, api_.clReleaseMemObject), live_);
  // Drivers reserve memory at first use; touching a byte moves a lack of it from a later launch,
  // where nobody could tell what it means, to here.
  const cl_uchar zero = 0;
  check(api_.clEnqueueFillBuffer(queue_.get(), memory, &zero, sizeof zero, 0, sizeof zero, 0,
                                 nullptr, nullptr),
        call, no_room);
  check(api_.clFinish(queue_.get()), call, no_room);
  return buffer;
}

Timing Device::write(parallax::Buffer& buffer, std::span<const std::byte> bytes) {
  check_copy(buffer, bytes.size());
  const auto start = Clock::now();
  check(api_.clEnqueueWriteBuffer(queue_.get(), native(buffer).memory(), CL_TRUE, 0, bytes.size(),
                                  bytes.data(), 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
  return host_only(start);
}

Timing Device::read(const parallax::Buffer& buffer, std::span<std::byte> bytes) {
  check_copy(buffer, bytes.size());
  const auto start = Clock::now();
  check(api_.clEnqueueReadBuffer(queue_.get(), native(buffer).memory(), CL_TRUE, 0, bytes.size(),
                                 bytes.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  return host_only(start);
}

Timing Device::fill(parallax::Buffer& buffer, std::uint32_t pattern) {
  check_fill(buffer);
  const auto start = Clock::now();
  check(api_.clEnqueueFillBuffer(queue_.get(), native(buffer).memory(), &pattern, sizeof pattern, 0,
                                 buffer.size_bytes(), 0, nullptr, nullptr),
        "clEnqueueFillBuffer");
  check(api_.clFinish(queue_.get()), "clFinish", DeviceError::Kind::device_lost);
  return host_only(start);
}

}  // namespace parallax::opencl
