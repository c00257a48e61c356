#include "harness/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backends/error.hpp"
#include "workloads/workload.hpp"

namespace parallax {
namespace {

constexpr const char* kSpinKernel = "spin/spin/u32";
constexpr std::uint32_t kSpinLanes = 64;
// Long enough that launch cost and clock steps are below one per cent of it.
constexpr double kCalibrationNs = 2e6;

bool usable(const Timing& timing) {
  return timing.device_ns.value_or(0.0) > 0.0 && timing.leadin_ns.value_or(0.0) > 0.0;
}

/// Runs the bracket, once more if the device's clock gave nothing: some drivers return zeros for
/// the first events of a queue (intel/clDNN#11).
Timing run_bracket(Device& device, std::span<const Launch> lead_in,
                   std::span<const Launch> launches, std::uint32_t repeats) {
  const Timing timing = device.run(lead_in, launches, repeats);
  return usable(timing) ? timing : device.run(lead_in, launches, repeats);
}

/// Time of `iterations` spins by the chosen clock, the shorter of two tries.
double spin_ns(Device& device, const LeadIn& lead_in, bool host_clock, std::uint32_t iterations) {
  const std::array head = {lead_in.launch(1)};
  const std::array body = {lead_in.launch(iterations)};
  double best = 0.0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Timing timing = host_clock ? device.run({}, body, 1) : run_bracket(device, head, body, 1);
    const double ns = host_clock ? timing.host_ns : timing.device_ns.value_or(0.0);
    best = attempt == 0 ? ns : std::min(best, ns);
  }
  return best;
}

}  // namespace

LeadIn::LeadIn(Device& device)
    : sink_(device.allocate(kSpinLanes * sizeof(std::uint32_t))) {
  KernelOrReason found = device.find_kernel(kSpinKernel, {.x = kSpinLanes});
  if (const auto* absent = std::get_if<Absent>(&found)) {
    throw DeviceError(DeviceError::Kind::failed,
                      fmt::format("find_kernel({}): {}", kSpinKernel, absent->reason), 0, {});
  }
  kernel_ = std::get<std::unique_ptr<Kernel>>(std::move(found));
}

Launch LeadIn::launch(std::uint32_t iterations) const {
  return {.kernel = kernel_.get(),
          .buffers = {sink_.get()},
          .constants = as_constants(iterations),
          .groups = {}};
}

ClockFacts calibrate(Device& device, const LeadIn& lead_in) {
  ClockFacts clock{.source = device.info().timer.source, .note = {}};
  const std::array head = {lead_in.launch(1)};
  const std::array body = {lead_in.launch(1024)};
  if (device.info().timer.valid_bits == 0) {
    clock.note = "the device publishes no timestamp bits";
  } else if (!usable(run_bracket(device, head, body, 1))) {
    clock.note = "the device's clock gave no usable stamps";
  }
  const bool host_clock = !clock.note.empty();
  if (host_clock) clock.source = kHostClock;

  std::uint32_t iterations = 1024;
  double ns = spin_ns(device, lead_in, host_clock, iterations);
  while (ns < kCalibrationNs && iterations < (1u << 30)) {
    iterations *= 4;
    ns = spin_ns(device, lead_in, host_clock, iterations);
  }
  clock.spin_step_ns = ns / iterations;
  return clock;
}

std::variant<Sample, Outcome> take_sample(Device& device, const ClockFacts& clock,
                                          const LeadIn& lead_in, std::span<const Launch> launches,
                                          const BlockRequest& request) {
  if (clock.source == kHostClock) {
    const Timing timing = device.run({}, launches, request.repeats);
    return Sample{.t_ns = timing.host_ns / request.repeats, .host_ns = timing.host_ns};
  }
  const std::array head = {lead_in.launch(request.lead_in_iterations)};
  const Timing timing = run_bracket(device, head, launches, request.repeats);
  const double device_ns = timing.device_ns.value_or(0.0);
  const double leadin_ns = timing.leadin_ns.value_or(0.0);
  if (!usable(timing)) {
    return Outcome{Status::invalid,
                   fmt::format("{} gave {:.1f} ns for {} runs behind a lead-in of {:.1f} ns",
                               clock.source, device_ns, request.repeats, leadin_ns)};
  }
  // Both clocks tick at their own rate, hence the slack (measured on the host over the same span).
  const double slack_ns = std::max(1000.0, 0.0005 * timing.host_ns);
  if (leadin_ns + device_ns > timing.host_ns + slack_ns) {
    return Outcome{Status::invalid,
                   fmt::format("{} says {:.1f} ns where the host waited only {:.1f} ns",
                               clock.source, leadin_ns + device_ns, timing.host_ns)};
  }
  return Sample{.t_ns = device_ns / request.repeats,
                .leadin_ns = leadin_ns,
                .host_ns = timing.host_ns,
                .enqueue_ns = timing.enqueue_ns.value_or(0.0)};
}

}  // namespace parallax
