#include <fmt/format.h>

#include "backends/checks.hpp"
#include "backends/cuda/device.hpp"

namespace parallax::cuda {
namespace {

void* address(const parallax::Buffer& buffer) {
  return static_cast<const Buffer&>(buffer).memory();
}

}  // namespace

std::unique_ptr<parallax::Buffer> Device::allocate(std::uint64_t size_bytes) {
  check_allocate(size_bytes);
  make_current();
  void* memory = nullptr;
  check(cudaMalloc(&memory, size_bytes), fmt::format("cudaMalloc({} bytes)", size_bytes));
  return std::make_unique<Buffer>(size_bytes, Owner<void*>(memory, cudaFree), live_);
}

Timing Device::finish(Clock::time_point start) {
  check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  return {.device_ns = {},
          .leadin_ns = {},
          .enqueue_ns = {},
          .host_ns = ns_between(start, Clock::now())};
}

Timing Device::write(parallax::Buffer& buffer, std::span<const std::byte> bytes) {
  check_copy(buffer, bytes.size());
  make_current();
  const auto start = Clock::now();
  check(cudaMemcpyAsync(address(buffer), bytes.data(), bytes.size(), cudaMemcpyHostToDevice,
                        stream_.get()),
        "cudaMemcpyAsync(to device)");
  return finish(start);
}

Timing Device::read(const parallax::Buffer& buffer, std::span<std::byte> bytes) {
  check_copy(buffer, bytes.size());
  make_current();
  const auto start = Clock::now();
  check(cudaMemcpyAsync(bytes.data(), address(buffer), bytes.size(), cudaMemcpyDeviceToHost,
                        stream_.get()),
        "cudaMemcpyAsync(to host)");
  return finish(start);
}

Timing Device::fill(parallax::Buffer& buffer, std::uint32_t pattern) {
  check_fill(buffer);
  make_current();
  const auto start = Clock::now();
  const CUresult result = memset_words_(reinterpret_cast<CUdeviceptr>(address(buffer)), pattern,
                                        buffer.size_bytes() / sizeof pattern, stream_.get());
  // The driver's codes are the runtime's codes, number by number.
  check(static_cast<cudaError_t>(result), "cuMemsetD32Async");
  return finish(start);
}

}  // namespace parallax::cuda
