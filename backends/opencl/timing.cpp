#include "backends/checks.hpp"
#include "backends/opencl/device.hpp"

namespace parallax::opencl {

void Device::enqueue(const Launch& launch, Owner<cl_event>* event) {
  const auto& kernel = static_cast<const Kernel&>(*launch.kernel);
  kernel.bind(api_, launch);
  const Extent3 group = kernel.group_size();
  const std::array<std::size_t, 3> local = {group.x, group.y, group.z};
  const std::array<std::size_t, 3> global = {local[0] * launch.groups.x, local[1] * launch.groups.y,
                                             local[2] * launch.groups.z};
  cl_event handle = nullptr;
  check(api_.clEnqueueNDRangeKernel(queue_.get(), kernel.handle(), 3, nullptr, global.data(),
                                    local.data(), 0, nullptr, event != nullptr ? &handle : nullptr),
        "clEnqueueNDRangeKernel");
  if (event != nullptr) *event = Owner<cl_event>(handle, api_.clReleaseEvent);
}

void Device::wait(const Owner<cl_event>& event) {
  cl_event handle = event.get();
  cl_int code = api_.clWaitForEvents(1, &handle);
  if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
    // The wait only says that a command failed; its own status says how.
    cl_int status = code;
    check(api_.clGetEventInfo(handle, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                              nullptr),
          "clGetEventInfo");
    if (status < 0) code = status;
  }
  check(code, "clWaitForEvents", DeviceError::Kind::device_lost);
}

std::optional<std::uint64_t> Device::stamp(const Owner<cl_event>& event, cl_profiling_info what) {
  // Some drivers publish the stamps of a finished event a moment late, as -7 or as zero
  // (intel/llvm#42, intel/clDNN#11). What is still missing then is no clock, and never a number.
  for (int attempt = 0; attempt < 2; ++attempt) {
    cl_ulong ns = 0;
    const cl_int code = api_.clGetEventProfilingInfo(event.get(), what, sizeof ns, &ns, nullptr);
    if (code == CL_PROFILING_INFO_NOT_AVAILABLE) continue;
    check(code, "clGetEventProfilingInfo");
    if (ns != 0) return ns;
  }
  return std::nullopt;
}

std::optional<double> Device::elapsed(const Owner<cl_event>& start_event, cl_profiling_info start,
                                      const Owner<cl_event>& end_event) {
  if (info_.timer.valid_bits == 0) return std::nullopt;
  const auto from = stamp(start_event, start);
  const auto to = stamp(end_event, CL_PROFILING_COMMAND_END);
  if (!from || !to) return std::nullopt;
  return elapsed_ns(*from, *to, info_.timer);
}

Timing Device::run(std::span<const Launch> lead_in, std::span<const Launch> launches,
                   std::uint32_t repeats) {
  check_run(info_, lead_in, launches, repeats);
  Owner<cl_event> first, e0, e1;
  const auto start = Clock::now();
  for (std::size_t i = 0; i < lead_in.size(); ++i) {
    const bool last = i + 1 == lead_in.size();
    enqueue(lead_in[i], last ? &e0 : i == 0 ? &first : nullptr);
  }
  if (!lead_in.empty()) check(api_.clFlush(queue_.get()), "clFlush");
  const auto handing_over = Clock::now();
  for (std::uint32_t r = 0; r < repeats; ++r) {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const bool last = r + 1 == repeats && i + 1 == launches.size();
      enqueue(launches[i], last ? &e1 : nullptr);
    }
  }
  check(api_.clFlush(queue_.get()), "clFlush");
  const auto handed_over = Clock::now();
  wait(e1);
  const auto done = Clock::now();

  Timing timing;
  timing.enqueue_ns = ns_between(handing_over, handed_over);
  timing.host_ns = ns_between(start, done);
  if (!lead_in.empty()) {
    // A lead-in of one launch begins and ends with the same event.
    timing.leadin_ns = elapsed(first ? first : e0, CL_PROFILING_COMMAND_START, e0);
    timing.device_ns = elapsed(e0, CL_PROFILING_COMMAND_END, e1);
  }
  return timing;
}

}  // namespace parallax::opencl
