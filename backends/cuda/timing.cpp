#include <array>

#include "backends/checks.hpp"
#include "backends/cuda/device.hpp"

namespace parallax::cuda {
namespace {

dim3 as_dim3(Extent3 extent) { return {extent.x, extent.y, extent.z}; }

double elapsed(const Owner<cudaEvent_t>& start, const Owner<cudaEvent_t>& end) {
  float ms = 0.0f;
  check(cudaEventElapsedTime(&ms, start.get(), end.get()), "cudaEventElapsedTime");
  return static_cast<double>(ms) * 1e6;
}

}  // namespace

void Device::launch(const Launch& launch) {
  const auto& kernel = static_cast<const Kernel&>(*launch.kernel);
  std::array<void*, kMaxBuffers> addresses;
  std::array<void*, kMaxBuffers + 1> arguments;
  const std::size_t count = launch.buffers.size();
  for (std::size_t i = 0; i < count; ++i) {
    addresses[i] = static_cast<const Buffer&>(*launch.buffers[i]).memory();
    arguments[i] = &addresses[i];
  }
  // The runtime takes arguments as non-const and only reads them.
  arguments[count] = const_cast<std::byte*>(launch.constants.data());
  check(cudaLaunchKernel(kernel.handle(), as_dim3(launch.groups), as_dim3(kernel.group_size()),
                         arguments.data(), 0, stream_.get()),
        "cudaLaunchKernel");
}

void Device::record(const Owner<cudaEvent_t>& event) {
  check(cudaEventRecord(event.get(), stream_.get()), "cudaEventRecord");
}

Timing Device::run(std::span<const Launch> lead_in, std::span<const Launch> launches,
                   std::uint32_t repeats) {
  check_run(info_, lead_in, launches, repeats);
  make_current();
  const auto start = Clock::now();
  record(before_);
  for (const Launch& l : lead_in) launch(l);
  record(start_);
  const auto handing_over = Clock::now();
  for (std::uint32_t r = 0; r < repeats; ++r) {
    for (const Launch& l : launches) launch(l);
  }
  record(end_);
  const auto handed_over = Clock::now();
  check(cudaGetLastError(), "cudaLaunchKernel");
  check(cudaEventSynchronize(end_.get()), "cudaEventSynchronize");
  const auto done = Clock::now();

  Timing timing;
  timing.enqueue_ns = ns_between(handing_over, handed_over);
  timing.host_ns = ns_between(start, done);
  if (!lead_in.empty()) {
    timing.leadin_ns = elapsed(before_, start_);
    timing.device_ns = elapsed(start_, end_);
  }
  return timing;
}

}  // namespace parallax::cuda
