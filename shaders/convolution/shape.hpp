// What every convolution kernel is told, in elements, and where elements lie. Rows are padded to 16
// bytes: x_pitch, filter_pitch and y_pitch apart. A tap is a place of the filter, r * s in all.
// With PARALLAX_NHWC a row holds the channels of one place, without it a line of one channel (x, y)
// or a whole filter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shaders/mac.hpp"

// One set of names per compiled kernel.
namespace {

struct Shape {
  std::uint32_t n, c, h, w, k, r, s, stride, pad, p, q, x_pitch, filter_pitch, y_pitch;
};

#if defined(PARALLAX_NHWC)
[[maybe_unused]] inline std::size_t x_at(const Shape& dim, std::size_t n, std::size_t c,
                                         std::size_t h, std::size_t w) {
  return ((n * dim.h + h) * dim.w + w) * dim.x_pitch + c;
}
[[maybe_unused]] inline std::size_t filter_at(const Shape& dim, std::size_t k, std::size_t c,
                                              std::size_t tap) {
  return (k * dim.r * dim.s + tap) * dim.filter_pitch + c;
}
[[maybe_unused]] inline std::size_t y_at(const Shape& dim, std::size_t n, std::size_t k,
                                         std::size_t p, std::size_t q) {
  return ((n * dim.p + p) * dim.q + q) * dim.y_pitch + k;
}
#else
[[maybe_unused]] inline std::size_t x_at(const Shape& dim, std::size_t n, std::size_t c,
                                         std::size_t h, std::size_t w) {
  return ((n * dim.c + c) * dim.h + h) * dim.x_pitch + w;
}
[[maybe_unused]] inline std::size_t filter_at(const Shape& dim, std::size_t k, std::size_t c,
                                              std::size_t tap) {
  return k * dim.filter_pitch + c * dim.r * dim.s + tap;
}
[[maybe_unused]] inline std::size_t y_at(const Shape& dim, std::size_t n, std::size_t k,
                                         std::size_t p, std::size_t q) {
  return ((n * dim.k + k) * dim.p + p) * dim.y_pitch + q;
}
#endif

// Divides a number below 2^31 by a constant of the launch: n * multiplier >> (31 + shift).
struct Divisor {
  std::uint32_t multiplier, shift;
};
[[maybe_unused]] inline std::uint32_t divide(std::uint32_t n, Divisor by) {
  return static_cast<std::uint32_t>(std::uint64_t{n} * by.multiplier >> (31 + by.shift));
}

}  // namespace
