/// What a convolution must give: which rows of the output are checked, and their values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "workloads/convolution_shape.hpp"
#include "workloads/half.hpp"
#include "workloads/parallel.hpp"

namespace parallax::convolution_detail {

// Tiles of outputs that one group computes: `tiled` 16 x 16 pixels of 8 channels, `implicit_gemm`
// 128 pixels, counted over the batch, of 64 channels.
inline constexpr std::uint64_t kTileSide = 16, kTileChannels = 8;
inline constexpr std::uint64_t kGemmPixels = 128, kGemmChannels = 64;

/// Problems up to this work and this many outputs are checked in full.
inline constexpr std::uint64_t kFullFlops = std::uint64_t{1} << 29;
inline constexpr std::uint64_t kFullOutputs = std::uint64_t{1} << 24;

inline std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

inline std::uint64_t output_rows(const Shape& z) { return z.nhwc ? z.pixels() : z.n * z.k * z.p; }

/// Place number `turn` of a walk over `count` places that comes by all of them, far apart, even if
/// only every 16th turn is looked at. The two axes of a plane walk with steps that do not repeat
/// together. Source: additive recurrence R2 (M. Roberts, 2018).
enum class Axis : std::uint64_t { first = 0xc13fa9a902a6328fu, second = 0x91e10da5c79e7b1du };
inline std::uint64_t rotate(std::uint64_t turn, std::uint64_t count, Axis axis = Axis::first) {
  return (turn * static_cast<std::uint64_t>(axis) >> 32) * count >> 32;
}

/// NCHW: of every 8 channels and 16 rows of an image one row; then a row for every tile of
/// `implicit_gemm` that none of them touches, and the last.
inline std::vector<std::uint64_t> sample_nchw(const Shape& z) {
  std::vector<std::uint64_t> rows;
  const std::uint64_t tiles_k = ceil_div(z.k, kGemmChannels);
  std::vector<bool> touched(tiles_k * ceil_div(z.pixels(), kGemmPixels));
  const auto take = [&](std::uint64_t n, std::uint64_t k, std::uint64_t p) {
    rows.push_back((n * z.k + k) * z.p + p);
    const std::uint64_t pixel = (n * z.p + p) * z.q;
    for (std::uint64_t t = pixel / kGemmPixels; t <= (pixel + z.q - 1) / kGemmPixels; ++t) {
      touched[t * tiles_k + k / kGemmChannels] = true;
    }
  };
  std::uint64_t turn = 0;
  for (std::uint64_t n = 0; n < z.n; ++n) {
    for (std::uint64_t k = 0; k < z.k; k += kTileChannels) {
      for (std::uint64_t p = 0; p < z.p; p += kTileSide, ++turn) {
        take(n, k + rotate(turn, std::min(kTileChannels, z.k - k), Axis::second),
             p + rotate(turn, std::min(kTileSide, z.p - p)));
      }
    }
  }
  for (std::uint64_t tile = 0; tile < touched.size(); ++tile, ++turn) {
    if (touched[tile]) continue;
    const std::uint64_t k = tile % tiles_k * kGemmChannels;
    const std::uint64_t row = tile / tiles_k * kGemmPixels / z.q;
    take(row / z.p, k + rotate(turn, std::min(kGemmChannels, z.k - k)), row % z.p);
  }
  take(z.n - 1, z.k - 1, z.p - 1);
  return rows;
}

/// NHWC, where a row is one pixel of all channels: one pixel of every tile of `tiled`, two of a
/// large one; then one of every 128 that none of them touches, and the last.
inline std::vector<std::uint64_t> sample_nhwc(const Shape& z) {
  std::vector<std::uint64_t> rows;
  std::vector<bool> touched(ceil_div(z.pixels(), kGemmPixels));
  const auto take = [&](std::uint64_t pixel) {
    rows.push_back(pixel);
    touched[pixel / kGemmPixels] = true;
  };
  std::uint64_t turn = 0;
  for (std::uint64_t n = 0; n < z.n; ++n) {
    for (std::uint64_t p = 0; p < z.p; p += kTileSide) {
      for (std::uint64_t q = 0; q < z.q; q += kTileSide) {
        const std::uint64_t width = std::min(kTileSide, z.q - q);
        const std::uint64_t count = width * std::min(kTileSide, z.p - p);
        const int samples = count < 64 ? 1 : 2;
        for (int i = 0; i < samples; ++i, ++turn) {
          const std::uint64_t place = rotate(turn, count);
          take((n * z.p + p + place / width) * z.q + q + place % width);
        }
      }
    }
  }
  for (std::uint64_t tile = 0; tile < touched.size(); ++tile, ++turn) {
    const std::uint64_t first = tile * kGemmPixels;
    if (!touched[tile]) take(first + rotate(turn, std::min(kGemmPixels, z.pixels() - first)));
  }
  take(z.pixels() - 1);
  return rows;
}

/// Rows of the output that are checked, ascending.
inline std::vector<std::uint64_t> checked_rows(const Shape& z) {
  std::vector<std::uint64_t> rows;
  if (z.flops() <= kFullFlops && z.pixels() * z.k <= kFullOutputs) {
    rows.resize(output_rows(z));
    for (std::uint64_t row = 0; row < rows.size(); ++row) rows[row] = row;
    return rows;
  }
  rows = z.nhwc ? sample_nhwc(z) : sample_nchw(z);
  std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  return rows;
}

/// Inputs as floats, which hold halves exactly.
inline std::vector<float> widened(const Bytes& bytes, Dtype dtype) {
  const std::uint64_t count = bytes.size() / size_bytes(dtype);
  std::vector<float> values(count);
  parallel_ranges(count, [&](std::uint64_t first, std::uint64_t last) {
    if (dtype == Dtype::f32) {
      std::memcpy(values.data() + first, bytes.data() + first * 4, (last - first) * 4);
      return;
    }
    for (std::uint64_t i = first; i < last; ++i) {
      Half half;
      std::memcpy(&half, bytes.data() + i * 2, sizeof half);
      values[i] = static_cast<float>(half);
    }
  });
  return values;
}

/// Outputs are summed eight at a time, a count that compilers turn into vectors.
inline constexpr std::uint64_t kLanes = 8;

/// Adds a * b[i * kStep] to eight sums, and the magnitudes to eight others.
template <std::uint64_t kStep>
void add_products(double a, const float* b, double* __restrict__ values,
                  double* __restrict__ scales) {
  for (std::uint64_t i = 0; i < kLanes; ++i) {
    const double term = a * static_cast<double>(b[i * kStep]);
    values[i] += term;
    scales[i] += std::abs(term);
  }
}

/// Sums of products and of their magnitudes for one row of the output, rounded up to eights.
struct Sums {
  std::vector<double> values, scales;
  void clear(std::uint64_t count) {
    values.assign(ceil_div(count, kLanes) * kLanes, 0.0);
    scales.assign(values.size(), 0.0);
  }
};

/// Computes rows of the output in double: products of two floats are exact, so that the error is
/// that of the sum alone, 2^29 times smaller than in f32.
class RowSums {
 public:
  RowSums(const Shape& shape, std::uint64_t x_pitch, std::uint64_t filter_pitch,
          std::vector<float> x, const std::vector<float>& filter)
      : z_(shape), x_pitch_(x_pitch), filter_pitch_(filter_pitch), x_(std::move(x)) {
    if (z_.nhwc) {
      transpose(filter);
    } else {
      filter_ = filter;
    }
  }

  [[nodiscard]] std::uint64_t columns() const { return z_.nhwc ? z_.k : z_.q; }

  void compute(std::uint64_t row, Sums& sums) const {
    sums.clear(columns());
    if (z_.nhwc) {
      compute_pixel(row, sums);
    } else if (z_.stride == 1) {
      compute_line<1>(row, sums);
    } else {
      compute_line<2>(row, sums);
    }
  }

 private:
  /// NHWC: [k / 8][tap][c][8], so that one input meets eight neighbouring filters.
  void transpose(const std::vector<float>& filter) {
    filter_.assign(ceil_div(z_.k, kLanes) * kLanes * z_.terms(), 0.0f);
    for (std::uint64_t k = 0; k < z_.k; ++k) {
      for (std::uint64_t term = 0; term < z_.terms(); ++term) {
        filter_[(k / kLanes * z_.terms() + term) * kLanes + k % kLanes] =
            filter[(k * z_.taps() + term / z_.c) * filter_pitch_ + term % z_.c];
      }
    }
  }

  /// NHWC: all channels of one pixel.
  void compute_pixel(std::uint64_t pixel, Sums& sums) const {
    const std::uint64_t q = pixel % z_.q;
    const std::uint64_t p = pixel / z_.q % z_.p;
    const std::uint64_t n = pixel / (z_.p * z_.q);
    for (std::uint64_t k = 0; k < z_.k; k += kLanes) {
      for (std::uint64_t tap = 0; tap < z_.taps(); ++tap) {
        // Left of the image or above it wraps to a huge number.
        const std::uint64_t h = p * z_.stride + tap / z_.s - z_.pad;
        const std::uint64_t w = q * z_.stride + tap % z_.s - z_.pad;
        if (h >= z_.h || w >= z_.w) continue;
        const float* x = x_.data() + ((n * z_.h + h) * z_.w + w) * x_pitch_;
        const float* filter = filter_.data() + (k * z_.taps() + tap * kLanes) * z_.c;
        for (std::uint64_t c = 0; c < z_.c; ++c) {
          add_products<1>(x[c], filter + c * kLanes, &sums.values[k], &sums.scales[k]);
        }
      }
    }
  }

  /// NCHW: one line of pixels of one channel.
  template <std::uint64_t kStride>
  void compute_line(std::uint64_t row, Sums& sums) const {
    const std::uint64_t p = row % z_.p;
    const std::uint64_t k = row / z_.p % z_.k;
    const std::uint64_t n = row / (z_.p * z_.k);
    // A line of the padded image, with room for the last eight outputs.
    std::vector<float> line(sums.values.size() * kStride + z_.s + z_.pad + z_.w);
    for (std::uint64_t c = 0; c < z_.c; ++c) {
      for (std::uint64_t r = 0; r < z_.r; ++r) {
        const std::uint64_t h = p * kStride + r - z_.pad;
        if (h >= z_.h) continue;
        const float* x = x_.data() + ((n * z_.c + c) * z_.h + h) * x_pitch_;
        std::copy(x, x + z_.w, line.begin() + static_cast<std::ptrdiff_t>(z_.pad));
        const float* filter = filter_.data() + k * filter_pitch_ + (c * z_.r + r) * z_.s;
        for (std::uint64_t s = 0; s < z_.s; ++s) {
          for (std::uint64_t q = 0; q < z_.q; q += kLanes) {
            add_products<kStride>(filter[s], line.data() + q * kStride + s, &sums.values[q],
                                  &sums.scales[q]);
          }
        }
      }
    }
  }

  Shape z_;
  std::uint64_t x_pitch_, filter_pitch_;
  std::vector<float> x_, filter_;
};

/// Values of the rows: f64 with scales for random inputs, f32 for the integer fill.
inline void fill_reference(const Shape& z, const RowSums& sums_of,
                           const std::vector<std::uint64_t>& rows, std::uint64_t y_pitch, Fill fill,
                           Reference& reference) {
  const std::uint64_t columns = sums_of.columns();
  const bool exact = fill == Fill::integers;
  reference.dtype = exact ? Dtype::f32 : Dtype::f64;
  reference.values.resize(rows.size() * columns * size_bytes(reference.dtype));
  if (!exact) reference.scales.resize(rows.size() * columns);
  for (std::uint64_t row : rows)
    reference.ranges.push_back({.first = row * y_pitch, .count = columns});
  const auto compute = [&](std::uint64_t first, std::uint64_t last) {
    Sums sums;
    for (std::uint64_t i = first; i < last; ++i) {
      sums_of.compute(rows[i], sums);
      for (std::uint64_t j = 0; j < columns; ++j) {
        const std::uint64_t at = i * columns + j;
        if (exact) {
          const auto value = static_cast<float>(sums.values[j]);
          std::memcpy(reference.values.data() + at * sizeof value, &value, sizeof value);
          continue;
        }
        std::memcpy(reference.values.data() + at * sizeof(double), &sums.values[j], sizeof(double));
        // An output whose window lies wholly in the padding has no terms and must be 0: divided by
        // the smallest normal number, an error of 0 passes and any other is beyond every limit.
        reference.scales[at] = std::max(sums.scales[j], std::numeric_limits<double>::min());
      }
    }
  };
  const std::uint64_t row_terms = columns * z.terms();
  parallel_ranges(rows.size(), compute, std::max<std::uint64_t>(1, (1 << 18) / row_terms));
}

}  // namespace parallax::convolution_detail
