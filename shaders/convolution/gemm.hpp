// What both layouts of `implicit_gemm` share. A group computes 64 filters x 128 pixels, counted
// over the batch, in steps of 16 terms, which lie in shared memory [term][filter] and
// [term][pixel]. Neighbouring lanes read a term as vectors of four; a vector more than needed per
// row spreads the stores over the banks. A lane keeps 8 x 4 sums. Of 32 lanes 4 take other eights
// and 8 other fours, such that lane ^ 2 reads the same eight and lane ^ 1 the same four: NVIDIA's
// shared memory serves such reads of 16 bytes in two turns instead of four
// (forums.developer.nvidia.com/t/77228). On the host the lanes take their turns: a group's lanes
// load a step, then all of them compute.
#pragma once

#include "shaders/convolution/shape.hpp"

namespace {

struct Constants {
  Shape dim;
  std::uint32_t pixels, terms, row_vectors, tiles_k;
  Divisor by_outer, by_s;
};

constexpr std::uint32_t kFilters = 64, kPixels = 128, kTerms = 16;

// Pixels of a group in the input: where the window of the first tap begins.
struct Window {
  std::uint32_t n, h0, w0;
};
inline void find_windows(const Constants& con, std::uint32_t pixel0, Window (&windows)[kPixels]) {
  const Shape& dim = con.dim;
  for (std::uint32_t i = 0; i < kPixels; ++i) {
    const std::uint32_t pixel = pixel0 + i;
    const std::uint32_t line = pixel / dim.q, n = line / dim.p;
    // Above the image or left of it wraps to a huge number; a pixel too many lies below the image.
    windows[i].n = n;
    windows[i].h0 = pixel < con.pixels ? (line - n * dim.p) * dim.stride - dim.pad : dim.h;
    windows[i].w0 = (pixel - line * dim.q) * dim.stride - dim.pad;
  }
}

// Adds the products of a step to the sums of one lane: 8 values of one side in two runs of four,
// `apart` values between them, and 4 of the other.
inline void multiply(const float* eight, std::uint32_t eight_row, std::uint32_t apart,
                     const float* four, std::uint32_t four_row, float* __restrict__ sum) {
  for (std::uint32_t term = 0; term < kTerms; ++term) {
    const float* b = four + term * four_row;
    for (std::uint32_t i = 0; i < 8; ++i) {
      const float a = eight[term * eight_row + i / 4 * apart + i % 4];
      for (std::uint32_t j = 0; j < 4; ++j) sum[4 * i + j] = mac(a, b[j], sum[4 * i + j]);
    }
  }
}

}  // namespace
