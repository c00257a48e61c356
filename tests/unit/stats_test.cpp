#include "harness/stats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "harness/status.hpp"

namespace parallax {
namespace {

using Values = std::vector<double>;

TEST(Median, IsTheMiddleValueOrTheMeanOfTwo) {
  EXPECT_DOUBLE_EQ(median(Values{7}), 7);
  EXPECT_DOUBLE_EQ(median(Values{3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median(Values{4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median(Values{1e308, 1.5e308}), 1.25e308);
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  const Values x = {40, 10, 30, 20};
  EXPECT_DOUBLE_EQ(quantile(x, 0.0), 10);
  EXPECT_DOUBLE_EQ(quantile(x, 0.25), 17.5);
  EXPECT_DOUBLE_EQ(quantile(x, 0.5), 25);
  EXPECT_DOUBLE_EQ(quantile(x, 0.75), 32.5);
  EXPECT_DOUBLE_EQ(quantile(x, 1.0), 40);
  EXPECT_DOUBLE_EQ(quantile(Values{5}, 0.3), 5);
}

// The table of the measurement guide, section 3.
TEST(MedianCiRanks, MatchThePublishedTable) {
  using Row = std::tuple<std::size_t, std::size_t, std::size_t>;
  for (const auto& [n, lo, hi] : {Row{6, 1, 6}, Row{10, 2, 9}, Row{15, 4, 12}, Row{20, 6, 15},
                                  Row{30, 10, 21}, Row{40, 14, 27}}) {
    const auto ranks = median_ci_ranks(n);
    ASSERT_TRUE(ranks) << n;
    EXPECT_EQ(ranks->first, lo) << n;
    EXPECT_EQ(ranks->second, hi) << n;
  }
}

TEST(MedianCiRanks, NeedSixRoundsFor95AndEightFor99Percent) {
  for (std::size_t n = 0; n < 6; ++n) EXPECT_FALSE(median_ci_ranks(n)) << n;
  EXPECT_TRUE(median_ci_ranks(6));
  EXPECT_FALSE(median_ci_ranks(7, 0.99));
  EXPECT_TRUE(median_ci_ranks(8, 0.99));
}

TEST(MedianCiRanks, StayNearTheNormalApproximationForManyRounds) {
  const auto ranks = median_ci_ranks(10000);
  ASSERT_TRUE(ranks);
  EXPECT_NEAR(static_cast<double>(ranks->first), 5000 - 1.96 * 50, 2.0);
  EXPECT_EQ(ranks->first + ranks->second, 10001u);
}

TEST(MedianCi, TakesTheRankedValues) {
  const Values ten = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
  const auto interval = median_ci(ten);
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->lo, 2);
  EXPECT_DOUBLE_EQ(interval->hi, 9);
  EXPECT_FALSE(median_ci(Values{1, 2, 3, 4, 5}));
}

TEST(PairedRatio, IsTheMedianOfPairsNotThePairOfMedians) {
  const Values a = {2, 40, 6};
  const Values b = {1, 10, 6};
  const Ratio r = paired_ratio(a, b);  // Pairs: 2, 4, 1. Medians: 6 / 6.
  EXPECT_NEAR(r.ratio, 2.0, 1e-12);
  EXPECT_FALSE(r.ci95);
  EXPECT_EQ(r.rounds, 3u);
}

TEST(PairedRatio, DriftCommonToBothDevicesCancels) {
  Values a, b;
  for (int r = 0; r < 10; ++r) {
    b.push_back(100.0 * std::pow(1.1, r));
    a.push_back(b.back() * 1.25);
  }
  const Ratio r = paired_ratio(a, b);
  EXPECT_NEAR(r.ratio, 1.25, 1e-12);
  ASSERT_TRUE(r.ci95);
  EXPECT_NEAR(r.ci95->lo, 1.25, 1e-12);
  EXPECT_NEAR(r.ci95->hi, 1.25, 1e-12);
}

TEST(PairedRatio, SwappingDevicesInvertsRatioAndInterval) {
  const Values a = {1.0, 1.2, 1.1, 1.3, 0.9, 1.05, 1.15, 1.25, 1.02, 0.97};
  const Values b(a.size(), 1.0);
  const Ratio ab = paired_ratio(a, b);
  const Ratio ba = paired_ratio(b, a);
  ASSERT_TRUE(ab.ci95 && ba.ci95);
  EXPECT_NEAR(ab.ci95->lo, 0.97, 1e-12);  // ranks 2 and 9 of 10
  EXPECT_NEAR(ab.ci95->hi, 1.25, 1e-12);
  EXPECT_NEAR(ab.ratio * ba.ratio, 1.0, 1e-12);
  EXPECT_NEAR(ab.ci95->lo * ba.ci95->hi, 1.0, 1e-12);
}

TEST(Statistics, RefuseWhatTheyCannotAnswer) {
  const Values none, one = {1}, two = {1, 2}, zero = {0};
  const Values nan = {std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(median(none), std::invalid_argument);
  EXPECT_THROW(quantile(none, 0.5), std::invalid_argument);
  EXPECT_THROW(quantile(one, 1.5), std::invalid_argument);
  EXPECT_THROW(paired_ratio(none, none), std::invalid_argument);
  EXPECT_THROW(paired_ratio(one, two), std::invalid_argument);
  EXPECT_THROW(paired_ratio(one, zero), std::invalid_argument);
  EXPECT_THROW(paired_ratio(nan, one), std::invalid_argument);
}

TEST(StatusNames, AreThoseOfTheResultFile) {
  EXPECT_EQ(to_string(Status::ok), "ok");
  EXPECT_EQ(to_string(Status::unsupported), "unsupported");
  EXPECT_EQ(to_string(Status::skipped), "skipped");
  EXPECT_EQ(to_string(Status::invalid), "invalid");
  EXPECT_EQ(to_string(Status::error), "error");
}

}  // namespace
}  // namespace parallax
