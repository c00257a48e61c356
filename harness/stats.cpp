#include "harness/stats.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace parallax {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

void require_positive(std::span<const double> values) {
  for (double v : values) {
    if (!(v > 0.0) || !std::isfinite(v)) {
      throw std::invalid_argument("paired_ratio: times must be positive and finite");
    }
  }
}

}  // namespace

double median(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("median of no values");
  const std::vector<double> x = sorted(values);
  const std::size_t half = x.size() / 2;
  if (x.size() % 2 == 1) return x[half];
  return x[half - 1] + (x[half] - x[half - 1]) / 2.0;
}

double quantile(std::span<const double> values, double p) {
  if (values.empty()) throw std::invalid_argument("quantile of no values");
  if (!(p >= 0.0 && p <= 1.0)) throw std::invalid_argument("quantile: p is outside [0, 1]");
  const std::vector<double> x = sorted(values);
  const double position = static_cast<double>(x.size() - 1) * p;
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 == x.size()) return x.back();
  return x[below] + (position - static_cast<double>(below)) * (x[below + 1] - x[below]);
}

std::optional<std::pair<std::size_t, std::size_t>> median_ci_ranks(std::size_t n,
                                                                   double confidence) {
  const double allowed = 1.0 - confidence;
  // In logarithms, because 2^-n underflows long before n is unreasonable.
  double log_term = -static_cast<double>(n) * std::numbers::ln2;
  double tail = 0.0;
  std::size_t rank = 0;
  while (rank < n) {
    tail += std::exp(log_term);
    if (2.0 * tail > allowed) break;
    log_term += std::log(static_cast<double>(n - rank) / static_cast<double>(rank + 1));
    ++rank;
  }
  if (rank == 0) return std::nullopt;
  return std::pair{rank, n + 1 - rank};
}

std::optional<Interval> median_ci(std::span<const double> values) {
  const auto ranks = median_ci_ranks(values.size());
  if (!ranks) return std::nullopt;
  const std::vector<double> x = sorted(values);
  return Interval{.lo = x[ranks->first - 1], .hi = x[ranks->second - 1]};
}

Ratio paired_ratio(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size() || a.empty()) {
    throw std::invalid_argument("paired_ratio: one time per device and round is needed");
  }
  require_positive(a);
  require_positive(b);
  std::vector<double> d(a.size());
  for (std::size_t r = 0; r < d.size(); ++r) d[r] = std::log(a[r] / b[r]);
  Ratio result{.ratio = std::exp(median(d)), .ci95 = median_ci(d), .rounds = d.size()};
  if (result.ci95) {
    result.ci95 = Interval{.lo = std::exp(result.ci95->lo), .hi = std::exp(result.ci95->hi)};
  }
  return result;
}

}  // namespace parallax
