/// Statistics: pure functions, no assumption about a distribution.
/// Errors: all throw std::invalid_argument when their values are not as stated.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace parallax {

/// Median; the mean of the middle two for an even count. `values` is not empty.
double median(std::span<const double> values);

/// Quantile by linear interpolation between order statistics (type 7 of Hyndman and Fan, The
/// American Statistician 50(4), 1996). `p` is in [0, 1]; `values` is not empty.
double quantile(std::span<const double> values, double p);

/// Ranks (1-based) of the order-statistic confidence interval of a median: l is the largest integer
/// with 2 P(Bin(n, 1/2) <= l - 1) <= 1 - confidence, the interval is [x(l), x(n + 1 - l)].
/// Returns nothing when n is too small (below 6 for 95 %).
std::optional<std::pair<std::size_t, std::size_t>> median_ci_ranks(std::size_t n,
                                                                   double confidence = 0.95);

struct Interval {
  double lo = 0.0;
  double hi = 0.0;
};

/// Confidence interval of the median of the values, or nothing for too few.
std::optional<Interval> median_ci(std::span<const double> values);

/// Ratio of two devices from paired rounds: exp of the median of ln(a/b), with the same ranks.
struct Ratio {
  double ratio = 1.0;
  std::optional<Interval> ci95;
  std::size_t rounds = 0;
};
/// Shapes: a and b have one entry per common round, all positive, at least one.
Ratio paired_ratio(std::span<const double> a, std::span<const double> b);

}  // namespace parallax
