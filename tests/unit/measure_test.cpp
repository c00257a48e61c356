#include "harness/measure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "backends/error.hpp"
#include "tests/fake/fake.hpp"

namespace parallax {
namespace {

using ::testing::HasSubstr;

/// One fake device, its lead-in and a launch that takes `kRunNs`.
class Measure : public ::testing::Test {
 protected:
  static constexpr double kRunNs = 50'000.0;

  /// Opens a device of a script; `fields` are further fields of it.
  void open(const std::string& fields = "") {
    backend_ = fake::make_backend(
        "fake", R"({"devices": [{"times": [{"kernel": "^selftest", "ns": 50000}])" +
                    (fields.empty() ? "" : ", " + fields) + "}]}");
    device_ = backend_->open("fake:0");
    lead_in_ = std::make_unique<LeadIn>(*device_);
    buffer_ = device_->allocate(256);
    kernel_ =
        std::get<std::unique_ptr<Kernel>>(device_->find_kernel("selftest/shift/u32", {.x = 64}));
    struct Constants {
      std::uint32_t n, distance;
    };
    launch_ = {.kernel = kernel_.get(),
               .buffers = {buffer_.get(), buffer_.get()},
               .constants = as_constants(Constants{.n = 0, .distance = 0}),
               .groups = {}};
  }

  std::variant<Sample, Outcome> take(std::uint32_t repeats = 4, const std::string& source = "") {
    const ClockFacts clock{.source = source.empty() ? "fake_clock" : source, .note = {}};
    return take_sample(*device_, clock, *lead_in_, std::span(&launch_, 1),
                       {.repeats = repeats, .lead_in_iterations = 300'000});
  }

  void expect_invalid(const std::string& fields) {
    open(fields);
    const auto result = take();
    const auto* outcome = std::get_if<Outcome>(&result);
    ASSERT_NE(outcome, nullptr) << fields << " gave " << std::get<Sample>(result).t_ns << " ns";
    EXPECT_EQ(outcome->status, Status::invalid) << fields;
    EXPECT_FALSE(outcome->reason.empty());
    EXPECT_EQ(outcome->reason.find('\n'), std::string::npos);
  }

  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<LeadIn> lead_in_;
  std::unique_ptr<Buffer> buffer_;
  std::unique_ptr<Kernel> kernel_;
  Launch launch_;
};

/// A fault of every timed run.
std::string distort(const std::string& what) {
  return R"("faults": [{"call": "run", "bracketed": true, "kernel": "^selftest", )" + what + "}]";
}

TEST_F(Measure, TakesOneRunsShareOfTheBracket) {
  open();
  for (std::uint32_t repeats : {1u, 7u, 512u}) {
    const auto result = take(repeats);
    ASSERT_TRUE(std::holds_alternative<Sample>(result)) << std::get<Outcome>(result).reason;
    const Sample sample = std::get<Sample>(result);
    EXPECT_NEAR(sample.t_ns, kRunNs, 1.0);
    EXPECT_NEAR(sample.leadin_ns, 300'000.0, 1.0);
    EXPECT_GE(sample.host_ns, sample.leadin_ns + sample.t_ns * repeats);
    EXPECT_EQ(sample.enqueue_ns, 100.0);
  }
}

TEST_F(Measure, RefusesMoreDeviceTimeThanHostTime) {
  expect_invalid(distort(R"("scale_device": 100)"));
  expect_invalid(distort(R"("scale_leadin": 100)"));
  expect_invalid(distort(R"("scale_host": 0.5)"));
  expect_invalid(distort(R"("set_device_ns": "inf")"));
}

TEST_F(Measure, CountsTheLeadInWhenItCompares) {
  // 200 us of runs and 300 us of lead-in; the host says 450 us, more than either alone.
  expect_invalid(distort(R"("scale_host": 0.89)"));
}

TEST_F(Measure, AllowsTheSlackOfTwoClocksAndNoMore) {
  // The bracket is 500 us on the device. The slack of 1 us passes, 2 us do not.
  open(distort(R"("scale_host": 0.98812)"));  // 499.0 us of 505
  EXPECT_TRUE(std::holds_alternative<Sample>(take()));
  expect_invalid(distort(R"("scale_host": 0.9861)"));  // 498.0 us
}

TEST_F(Measure, RefusesTimesThatAreNotPositive) {
  expect_invalid(distort(R"("set_device_ns": 0)"));
  expect_invalid(distort(R"("set_device_ns": -5)"));
  expect_invalid(distort(R"("set_device_ns": "nan")"));
  expect_invalid(distort(R"("set_device_ns": null)"));
  expect_invalid(distort(R"("set_leadin_ns": 0)"));
}

TEST_F(Measure, RefusesHostTimesThatAreNotPositive) {
  open(R"("faults": [{"call": "run", "kernel": "^selftest", "scale_host": 0}])");
  const auto result = take(4, kHostClock);
  EXPECT_TRUE(std::holds_alternative<Outcome>(result)) << "0 ns is no time";
}

TEST_F(Measure, TriesZeroStampsOnceMore) {  // T08
  open(R"("faults": [{"call": "run", "bracketed": true, "kernel": "^selftest", "nth": 1,
                      "set_device_ns": 0}])");
  const auto result = take();
  ASSERT_TRUE(std::holds_alternative<Sample>(result)) << std::get<Outcome>(result).reason;
  EXPECT_NEAR(std::get<Sample>(result).t_ns, kRunNs, 1.0);
}

TEST_F(Measure, TimesByTheHostWhenAskedTo) {
  open();
  const auto result = take(4, kHostClock);
  ASSERT_TRUE(std::holds_alternative<Sample>(result));
  const Sample sample = std::get<Sample>(result);
  EXPECT_NEAR(sample.t_ns, sample.host_ns / 4, 1e-6);
  EXPECT_NEAR(sample.host_ns, 4 * kRunNs + 5000.0, 1.0) << "no lead-in is in the host's bracket";
  EXPECT_EQ(sample.leadin_ns, 0.0);
}

TEST_F(Measure, SurvivesACounterThatWraps) {  // T02
  open(R"("timer": {"valid_bits": 36, "period_ns": 52.08}, "start_tick": 68719476735)");
  const auto result = take();
  ASSERT_TRUE(std::holds_alternative<Sample>(result)) << std::get<Outcome>(result).reason;
  EXPECT_NEAR(std::get<Sample>(result).t_ns, kRunNs, 53.0);
}

TEST_F(Measure, ConvertsTicksWithTheirPeriod) {  // T04
  open(R"("timer": {"period_ns": 41.6667})");
  const auto result = take();
  ASSERT_TRUE(std::holds_alternative<Sample>(result)) << std::get<Outcome>(result).reason;
  EXPECT_NEAR(std::get<Sample>(result).t_ns, kRunNs, 42.0);
}

TEST_F(Measure, LetsErrorsOfTheDeviceThrough) {
  open(R"("faults": [{"call": "run", "kernel": "^selftest", "throw": "device_lost"}])");
  EXPECT_THROW(take(), DeviceError);
}

// --- calibration ---------------------------------------------------------------------------------

TEST_F(Measure, NamesTheDevicesClock) {
  open(R"("timer": {"source": "opencl_event"}, "spin_step_ns": 2.5)");
  const ClockFacts clock = calibrate(*device_, *lead_in_);
  EXPECT_EQ(clock.source, "opencl_event");
  EXPECT_EQ(clock.note, "");
  EXPECT_NEAR(clock.spin_step_ns, 2.5, 0.1);
}

TEST_F(Measure, FallsBackToTheHostWithoutTimestampBits) {  // T03
  open(R"("timer": {"valid_bits": 0, "period_ns": 1}, "spin_step_ns": 2.5)");
  const ClockFacts clock = calibrate(*device_, *lead_in_);
  EXPECT_EQ(clock.source, kHostClock);
  EXPECT_FALSE(clock.note.empty());
  EXPECT_NEAR(clock.spin_step_ns, 2.5, 0.2);
}

TEST_F(Measure, FallsBackToTheHostWhenStampsStayZeroOrAbsent) {  // T08
  for (const char* what : {R"("set_device_ns": 0)", R"("set_device_ns": null)",
                           R"("set_device_ns": "nan")", R"("set_leadin_ns": 0)"}) {
    open(std::string(R"("faults": [{"call": "run", "bracketed": true, )") + what + "}]");
    const ClockFacts clock = calibrate(*device_, *lead_in_);
    EXPECT_EQ(clock.source, kHostClock) << what;
    EXPECT_FALSE(clock.note.empty()) << what;
    EXPECT_TRUE(std::isfinite(clock.spin_step_ns));
    EXPECT_GT(clock.spin_step_ns, 0.0);
  }
}

TEST_F(Measure, KeepsAClockThatWasZeroOnce) {  // T08
  open(R"("faults": [{"call": "run", "bracketed": true, "nth": 1, "set_device_ns": 0}])");
  const ClockFacts clock = calibrate(*device_, *lead_in_);
  EXPECT_EQ(clock.source, "fake_clock");
  EXPECT_NEAR(clock.spin_step_ns, 1.0, 0.1);
}

TEST_F(Measure, EndsEvenIfSpinningTakesNoTime) {
  open(R"("spin_step_ns": 0.000001)");
  const ClockFacts clock = calibrate(*device_, *lead_in_);
  EXPECT_TRUE(std::isfinite(clock.spin_step_ns));
}

TEST(LeadIn, FailsWithoutItsKernel) {
  const auto backend = fake::make_backend(
      "fake", R"({"devices": [{"faults": [{"call": "find_kernel", "kernel": "^spin",
                                           "absent": "no such kernel here"}]}]})");
  const auto device = backend->open("fake:0");
  try {
    LeadIn lead_in(*device);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no such kernel here"));
  }
}

TEST(LeadIn, SpinsForAllItsIterations) {
  const auto backend = fake::make_backend("fake", R"({"devices": [{}]})");
  const auto device = backend->open("fake:0");
  const LeadIn lead_in(*device);
  for (std::uint32_t iterations : {1u, 32768u, 32769u, 65535u, 1'000'000u}) {
    std::uint64_t sum = 0;
    for (const Launch& launch : lead_in.launches(iterations)) {
      std::uint32_t piece = 0;
      std::memcpy(&piece, launch.constants.data(), sizeof piece);
      EXPECT_LE(piece, 65535u) << "lavapipe ends longer loops without a word";
      sum += piece;
    }
    EXPECT_EQ(sum, iterations);
  }
  EXPECT_FALSE(lead_in.launches(0).empty()) << "T0 needs a launch";
}

}  // namespace
}  // namespace parallax
