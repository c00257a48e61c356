// The bracket of Device::run, on every device.
#include <algorithm>
#include <cmath>

#include "tests/contract/devices.hpp"
#include "workloads/workload.hpp"

namespace parallax {
namespace {

constexpr Extent3 kLanes = {.x = 64, .y = 1, .z = 1};
// Short enough for drivers that end long loops, long enough to stand above launch costs.
constexpr std::uint32_t kSpins = 40000;

class TimesOn : public OnDevice {
 protected:
  TimesOn() : sink_(device_->allocate(256)), spin_(kernel("spin/spin/u32", kLanes)) {}

  [[nodiscard]] Launch spin(std::uint32_t iterations) const {
    return {.kernel = spin_.get(),
            .buffers = {sink_.get()},
            .constants = as_constants(iterations),
            .groups = {}};
  }

  Timing bracket(std::uint32_t iterations, std::uint32_t repeats) {
    const std::vector lead_in = {spin(kSpins)};
    const std::vector launches = {spin(iterations)};
    return device_->run(lead_in, launches, repeats);
  }

  /// Shortest of five, since software devices share their cores with everything else.
  double best_device_ns(std::uint32_t iterations, std::uint32_t repeats) {
    double best = INFINITY;
    for (int i = 0; i < 5; ++i) {
      best = std::min(best, bracket(iterations, repeats).device_ns.value_or(INFINITY));
    }
    return best;
  }

  [[nodiscard]] bool has_clock() const { return info().timer.valid_bits > 0; }

  std::unique_ptr<Buffer> sink_;
  std::unique_ptr<Kernel> spin_;
};

TEST_P(TimesOn, AreWithinHostTime) {
  for (std::uint32_t repeats : {1u, 1u, 1u, 20u, 20u}) {
    const Timing timing = bracket(kSpins, repeats);
    EXPECT_GT(timing.host_ns, 0.0);
    EXPECT_EQ(timing.device_ns.has_value(), has_clock());
    EXPECT_EQ(timing.leadin_ns.has_value(), has_clock());
    if (!has_clock()) continue;
    EXPECT_GT(*timing.device_ns, 0.0);
    EXPECT_GT(*timing.leadin_ns, 0.0);
    EXPECT_LE(*timing.device_ns + *timing.leadin_ns,
              timing.host_ns + std::max(1000.0, 0.0005 * timing.host_ns));
  }
}

TEST_P(TimesOn, SayWhatHandingOverTook) {
  const Timing timing = bracket(kSpins, 4);
  ASSERT_TRUE(timing.enqueue_ns.has_value());
  EXPECT_GE(*timing.enqueue_ns, 0.0);
  EXPECT_LE(*timing.enqueue_ns, timing.host_ns);
}

TEST_P(TimesOn, HaveNoDeviceTimeWithoutALeadIn) {
  const std::vector launches = {spin(kSpins)};
  const Timing timing = device_->run({}, launches, 2);
  EXPECT_FALSE(timing.device_ns.has_value());
  EXPECT_FALSE(timing.leadin_ns.has_value());
  EXPECT_GT(timing.host_ns, 0.0);
}

TEST_P(TimesOn, GrowWithRepeats) {
  if (!has_clock()) GTEST_SKIP() << info().name << " has no device clock";
  bracket(kSpins, 1);
  const double ratio = best_device_ns(kSpins, 16) / best_device_ns(kSpins, 4);
  EXPECT_GT(ratio, 2.0);
  EXPECT_LT(ratio, 8.0);
}

TEST_P(TimesOn, GrowWithTheWorkOfALaunch) {
  if (!has_clock()) GTEST_SKIP() << info().name << " has no device clock";
  bracket(kSpins, 1);
  const double ratio = best_device_ns(kSpins, 8) / best_device_ns(kSpins / 8, 8);
  EXPECT_GT(ratio, 2.0);
  EXPECT_LT(ratio, 16.0);
}

TEST_P(TimesOn, LeaveTheLeadInOutOfTheDeviceTime) {
  if (!has_clock()) GTEST_SKIP() << info().name << " has no device clock";
  bracket(kSpins, 1);
  double with_short = INFINITY;
  double with_long = INFINITY;
  double lead_in = INFINITY;
  for (int i = 0; i < 5; ++i) {
    const std::vector launches = {spin(kSpins)};
    const std::vector brief = {spin(1)};
    const std::vector lengthy(10, spin(kSpins));
    with_short = std::min(with_short, *device_->run(brief, launches, 1).device_ns);
    const Timing timing = device_->run(lengthy, launches, 1);
    with_long = std::min(with_long, *timing.device_ns);
    lead_in = std::min(lead_in, *timing.leadin_ns);
  }
  EXPECT_LT(with_long, 4.0 * with_short);
  // Ten spins ahead are the lead-in's, all of them.
  EXPECT_GT(lead_in, 4.0 * with_long);
}

TEST_P(TimesOn, FollowTheHostClock) {
  // T06: a clock off by a constant factor shows when one long bracket is taken from another, since
  // the difference is free of launch costs.
  if (!has_clock()) GTEST_SKIP() << info().name << " has no device clock";
  bracket(kSpins, 1);
  double best_error = INFINITY;
  for (int i = 0; i < 5; ++i) {
    const Timing brief = bracket(kSpins, 50);
    const Timing lengthy = bracket(kSpins, 150);
    const double device_ns = *lengthy.device_ns - *brief.device_ns;
    const double lead_in_ns = *lengthy.leadin_ns - *brief.leadin_ns;
    const double host_ns = lengthy.host_ns - brief.host_ns;
    best_error = std::min(best_error, std::abs((device_ns + lead_in_ns) / host_ns - 1.0));
  }
  EXPECT_LT(best_error, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Contract, TimesOn, ::testing::ValuesIn(all_devices()), test_name);

}  // namespace
}  // namespace parallax
