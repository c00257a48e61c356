#include "backends/checks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/fake/fake.hpp"

namespace parallax {
namespace {

constexpr std::uint64_t kAllBits = ~std::uint64_t{0};

TEST(ElapsedTicks, WrapsAfterThe36BitsOfT02) {
  EXPECT_EQ(elapsed_ticks(0xFFFFFFFFFu, 0, 36), 1u);
  EXPECT_EQ(elapsed_ticks(0xFFFFFFFF0u, 0x10, 36), 0x20u);
}

TEST(ElapsedTicks, IgnoresBitsAboveTheValidOnes) {
  EXPECT_EQ(elapsed_ticks(0xabc0000000000005u, 0x1230000000000007u, 36), 2u);
}

TEST(ElapsedTicks, TakesAll64BitsWithoutAShiftBy64) {
  EXPECT_EQ(elapsed_ticks(kAllBits, 0, 64), 1u);
  EXPECT_EQ(elapsed_ticks(0, kAllBits, 64), kAllBits);
  EXPECT_EQ(elapsed_ticks(5, 12, 64), 7u);
}

TEST(ElapsedTicks, CoversEveryWidth) {
  for (std::uint32_t bits = 1; bits <= 64; ++bits) {
    const std::uint64_t top = bits == 64 ? kAllBits : (std::uint64_t{1} << bits) - 1;
    EXPECT_EQ(elapsed_ticks(top, 0, bits), 1u) << bits;
    EXPECT_EQ(elapsed_ticks(0, top, bits), top) << bits;
    EXPECT_EQ(elapsed_ticks(top, top, bits), 0u) << bits;
  }
}

TEST(ElapsedNs, HasNothingToSayWithoutValidBitsWhateverThePeriodOfT03) {
  for (double period_ns : {0.0, 1.0, 41.6667}) {
    const Timer timer{.source = "x", .period_ns = period_ns, .valid_bits = 0};
    EXPECT_FALSE(elapsed_ns(0, 1000, timer).has_value()) << period_ns;
  }
}

TEST(ElapsedNs, ConvertsTicksInDoubleAsInT04) {
  const Timer timer{.source = "x", .period_ns = 41.6667, .valid_bits = 64};
  const auto ns = elapsed_ns(0, 1000, timer);
  ASSERT_TRUE(ns.has_value());
  EXPECT_NEAR(*ns, 41666.7, 1e-6);
}

TEST(ElapsedNs, AppliesPeriodAndWrapTogether) {
  const Timer timer{.source = "x", .period_ns = 52.08, .valid_bits = 36};
  const auto ns = elapsed_ns(0xFFFFFFFFFu, 0, timer);
  ASSERT_TRUE(ns.has_value());
  EXPECT_NEAR(*ns, 52.08, 1e-9);
}

DeviceInfo limited(std::uint64_t lanes, std::array<std::uint64_t, 3> size = {}) {
  DeviceInfo info;
  info.limits.max_group_lanes = lanes;
  info.limits.max_group_size = size;
  return info;
}

TEST(GroupOverLimits, NamesBothNumbersAsInS06) {
  const auto reason = group_over_limits(limited(128), {.x = 256});
  ASSERT_TRUE(reason.has_value());
  EXPECT_NE(reason->find("256"), std::string::npos) << *reason;
  EXPECT_NE(reason->find("128"), std::string::npos) << *reason;
}

TEST(GroupOverLimits, AllowsTheLimitItself) {
  EXPECT_FALSE(group_over_limits(limited(256), {.x = 256}).has_value());
  EXPECT_FALSE(group_over_limits(limited(256), {.x = 16, .y = 16}).has_value());
  EXPECT_TRUE(group_over_limits(limited(256), {.x = 16, .y = 17}).has_value());
}

TEST(GroupOverLimits, ChecksEveryDimension) {
  const DeviceInfo info = limited(1024, {512, 256, 64});
  EXPECT_FALSE(group_over_limits(info, {.x = 512}).has_value());
  EXPECT_TRUE(group_over_limits(info, {.x = 513}).has_value());
  EXPECT_TRUE(group_over_limits(info, {.x = 1, .y = 257}).has_value());
  const auto z = group_over_limits(info, {.x = 1, .y = 1, .z = 65});
  ASSERT_TRUE(z.has_value());
  EXPECT_NE(z->find("65"), std::string::npos) << *z;
  EXPECT_NE(z->find("64"), std::string::npos) << *z;
}

TEST(GroupOverLimits, DoesNotOverflowForHugeGroups) {
  EXPECT_TRUE(group_over_limits(limited(1024), {.x = 65536, .y = 65536, .z = 1}).has_value());
}

TEST(GroupOverLimits, TakesZeroAsNoLimit) {
  EXPECT_FALSE(group_over_limits(limited(0), {.x = 1u << 20}).has_value());
}

TEST(DtypeUnsupported, NeedsTheFeatureForF64Only) {
  DeviceInfo info;
  EXPECT_TRUE(dtype_unsupported(info, "vector_add/naive/f64").has_value());
  EXPECT_FALSE(dtype_unsupported(info, "vector_add/naive/f32").has_value());
  EXPECT_FALSE(dtype_unsupported(info, "vector_add/naive/i32").has_value());
  info.features = {"f64"};
  EXPECT_FALSE(dtype_unsupported(info, "vector_add/naive/f64").has_value());
}

/// A launch on the fake device, valid until a test spoils it.
class CheckRun : public ::testing::Test {
 protected:
  CheckRun()
      : backend_(fake::make_backend("fake", R"({"devices": [{"limits": {
            "max_group_count": [100, 20, 3]}}]})")),
        device_(backend_->open("fake:0")),
        buffer_(device_->allocate(256)),
        kernel_(
            std::get<std::unique_ptr<Kernel>>(device_->find_kernel("spin/spin/u32", {.x = 64}))) {
    launch_ = {.kernel = kernel_.get(),
               .buffers = {buffer_.get()},
               .constants = std::vector<std::byte>(4),
               .groups = {}};
  }

  void check(std::uint32_t repeats = 1) {
    check_run(device_->info(), {}, std::span(&launch_, 1), repeats);
  }
  /// The lead-in is held to the same rules.
  void check_lead_in() {
    const Launch good = {.kernel = kernel_.get(),
                         .buffers = {buffer_.get()},
                         .constants = std::vector<std::byte>(4),
                         .groups = {}};
    check_run(device_->info(), std::span(&launch_, 1), std::span(&good, 1), 1);
  }

  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Buffer> buffer_;
  std::unique_ptr<Kernel> kernel_;
  Launch launch_;
};

TEST_F(CheckRun, AcceptsWhatTheContractAllows) {
  EXPECT_NO_THROW(check());
  EXPECT_NO_THROW(check_lead_in());
  launch_.buffers.assign(kMaxBuffers, buffer_.get());
  launch_.constants.resize(kMaxConstantBytes);
  launch_.groups = {100, 20, 3};
  EXPECT_NO_THROW(check());
  launch_.constants.clear();
  EXPECT_NO_THROW(check());
}

TEST_F(CheckRun, RefusesNoLaunchesAndNoRepeats) {
  EXPECT_THROW(check_run(device_->info(), {}, {}, 1), std::invalid_argument);
  EXPECT_THROW(check(0), std::invalid_argument);
}

TEST_F(CheckRun, RefusesTooManyBuffersOrConstants) {
  launch_.buffers.assign(kMaxBuffers + 1, buffer_.get());
  EXPECT_THROW(check(), std::invalid_argument);
  EXPECT_THROW(check_lead_in(), std::invalid_argument);
  launch_.buffers.resize(1);
  launch_.constants.resize(kMaxConstantBytes + 4);
  EXPECT_THROW(check(), std::invalid_argument);
  launch_.constants.resize(6);
  EXPECT_THROW(check(), std::invalid_argument);
}

TEST_F(CheckRun, RefusesGroupsOfZeroAndOverTheLimits) {
  for (const Extent3 groups : {Extent3{0, 1, 1}, Extent3{1, 0, 1}, Extent3{1, 1, 0},
                               Extent3{101, 1, 1}, Extent3{1, 21, 1}, Extent3{1, 1, 4}}) {
    launch_.groups = groups;
    EXPECT_THROW(check(), std::invalid_argument) << groups.x << groups.y << groups.z;
  }
}

TEST_F(CheckRun, RefusesALaunchWithoutAKernel) {
  launch_.kernel = nullptr;
  EXPECT_THROW(check(), std::invalid_argument);
}

TEST_F(CheckRun, ComparesSizesOfCopies) {
  EXPECT_NO_THROW(check_copy(*buffer_, 256));
  EXPECT_THROW(check_copy(*buffer_, 255), std::invalid_argument);
  EXPECT_THROW(check_copy(*buffer_, 257), std::invalid_argument);
}

TEST_F(CheckRun, FillsWholeWordsOnly) {
  EXPECT_NO_THROW(check_fill(*buffer_));
  for (std::uint64_t size : {1, 2, 3, 5, 7}) {
    EXPECT_THROW(check_fill(*device_->allocate(size)), std::invalid_argument) << size;
  }
}

}  // namespace
}  // namespace parallax
