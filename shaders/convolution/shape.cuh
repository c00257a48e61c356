// What every convolution kernel is told, in elements, and where elements lie. Rows are padded to 16
// bytes: x_pitch, filter_pitch and y_pitch apart. A tap is a place of the filter, r * s in all.
// With PARALLAX_NHWC a row holds the channels of one place, without it a line of one channel (x, y)
// or a whole filter.
#pragma once

#include "mac.cuh"

struct Shape {
  unsigned n, c, h, w, k, r, s, stride, pad, p, q, x_pitch, filter_pitch, y_pitch;
};

#if defined(PARALLAX_NHWC)
__device__ inline unsigned x_at(const Shape& dim, unsigned n, unsigned c, unsigned h, unsigned w) {
  return ((n * dim.h + h) * dim.w + w) * dim.x_pitch + c;
}
__device__ inline unsigned filter_at(const Shape& dim, unsigned k, unsigned c, unsigned tap) {
  return (k * dim.r * dim.s + tap) * dim.filter_pitch + c;
}
__device__ inline unsigned y_at(const Shape& dim, unsigned n, unsigned k, unsigned p, unsigned q) {
  return ((n * dim.p + p) * dim.q + q) * dim.y_pitch + k;
}
#else
__device__ inline unsigned x_at(const Shape& dim, unsigned n, unsigned c, unsigned h, unsigned w) {
  return ((n * dim.c + c) * dim.h + h) * dim.x_pitch + w;
}
__device__ inline unsigned filter_at(const Shape& dim, unsigned k, unsigned c, unsigned tap) {
  return k * dim.filter_pitch + c * dim.r * dim.s + tap;
}
__device__ inline unsigned y_at(const Shape& dim, unsigned n, unsigned k, unsigned p, unsigned q) {
  return ((n * dim.k + k) * dim.p + p) * dim.y_pitch + q;
}
#endif

// Divides a number below 2^31 by a constant of the launch: n * multiplier >> (31 + shift).
struct Divisor {
  unsigned multiplier, shift;
};
__device__ inline unsigned divide(unsigned n, Divisor by) {
  return __umulhi(2 * n, by.multiplier) >> by.shift;
}
