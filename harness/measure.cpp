#include "harness/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "backends/error.hpp"
#include "workloads/workload.hpp"

namespace parallax {
namespace {

constexpr const char* kSpinKernel = "spin/spin/u32";
constexpr std::uint32_t kSpinLanes = 64;
// lavapipe ends a shader's loop after 65,535 iterations without a word (LP_MAX_TGSI_LOOP_ITERATIONS
// of Mesa), so a longer spin is several launches, in every API alike.
constexpr std::uint32_t kMaxSpin = 32768;
// Long enough that launch cost and clock steps are a few per cent of it at most.
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

/// Time of `repeats` spins of kMaxSpin steps by the chosen clock, the shorter of two tries.
double spin_ns(Device& device, const LeadIn& lead_in, bool host_clock, std::uint32_t repeats) {
  const std::vector<Launch> head = lead_in.launches(1);
  const std::vector<Launch> body = lead_in.launches(kMaxSpin);
  double best = 0.0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Timing timing =
        host_clock ? device.run({}, body, repeats) : run_bracket(device, head, body, repeats);
    const double ns = host_clock ? timing.host_ns : timing.device_ns.value_or(0.0);
    best = attempt == 0 ? ns : std::min(best, ns);
  }
  return best;
}

}  // namespace

LeadIn::LeadIn(Device& device) : sink_(device.allocate(kSpinLanes * sizeof(std::uint32_t))) {
  KernelOrReason found = device.find_kernel(kSpinKernel, {.x = kSpinLanes});
  if (const auto* absent = std::get_if<Absent>(&found)) {
    throw DeviceError(DeviceError::Kind::failed,
                      fmt::format("find_kernel({}): {}", kSpinKernel, absent->reason), 0, {});
  }
  kernel_ = std::get<std::unique_ptr<Kernel>>(std::move(found));
}

std::vector<Launch> LeadIn::launches(std::uint32_t iterations) const {
  std::vector<Launch> launches;
  while (launches.empty() || iterations > 0) {
    const std::uint32_t piece = std::min(iterations, kMaxSpin);
    launches.push_back({.kernel = kernel_.get(),
                        .buffers = {sink_.get()},
                        .constants = as_constants(piece),
                        .groups = {}});
    iterations -= piece;
  }
  return launches;
}

ClockFacts calibrate(Device& device, const LeadIn& lead_in) {
  ClockFacts clock{.source = device.info().timer.source, .note = {}};
  const std::vector<Launch> spin = lead_in.launches(kMaxSpin);
  if (device.info().timer.valid_bits == 0) {
    clock.note = "the device publishes no timestamp bits";
  } else if (!usable(run_bracket(device, spin, spin, 1))) {
    clock.note = "the device's clock gave no usable stamps";
  }
  const bool host_clock = !clock.note.empty();
  if (host_clock) clock.source = kHostClock;

  std::uint32_t repeats = 1;
  double ns = spin_ns(device, lead_in, host_clock, repeats);
  while (ns < kCalibrationNs && repeats < 512) {
    repeats *= 4;
    ns = spin_ns(device, lead_in, host_clock, repeats);
  }
  clock.spin_step_ns = ns / repeats / kMaxSpin;
  return clock;
}

std::variant<Sample, Outcome> take_sample(Device& device, const ClockFacts& clock,
                                          const LeadIn& lead_in, std::span<const Launch> launches,
                                          const BlockRequest& request) {
  if (clock.source == kHostClock) {
    const Timing timing = device.run({}, launches, request.repeats);
    if (timing.host_ns <= 0.0) {
      return Outcome{Status::invalid, fmt::format("the host clock gave {:.1f} ns for {} runs",
                                                  timing.host_ns, request.repeats)};
    }
    return Sample{.t_ns = timing.host_ns / request.repeats, .host_ns = timing.host_ns};
  }
  const std::vector<Launch> head = lead_in.launches(request.lead_in_iterations);
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
