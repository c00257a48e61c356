// What both layouts of `implicit_gemm` share. A group computes 64 filters x 128 pixels, counted
// over the batch, in steps of 16 terms, which lie in shared memory [term][filter] and
// [term][pixel]. Neighbouring lanes read a term as vectors of four; a vector more than needed per
// row spreads the stores over the banks. A lane keeps 8 x 4 sums. Of 32 lanes 4 take other eights
// and 8 other fours, such that lane ^ 2 reads the same eight and lane ^ 1 the same four: NVIDIA's
// shared memory serves such reads of 16 bytes in two turns instead of four
// (forums.developer.nvidia.com/t/77228).
#pragma once

#include "convolution/shape.cuh"

struct Constants {
  Shape dim;
  unsigned pixels, terms, row_vectors, tiles_k;
  Divisor by_outer, by_s;
};

constexpr unsigned kFilters = 64, kPixels = 128, kTerms = 16;
constexpr unsigned kFilterRow = kFilters / 4 + 1, kPixelRow = kPixels / 4 + 1;
// Vectors of 16 bytes that hold the terms of a step, and rows of them that 256 lanes load at once.
constexpr unsigned kUnits = kTerms / kV, kRows = 256 / kUnits;

// Adds the products of a step: each row of shared memory gives 8 values of one side (two vectors,
// `apart` vectors between them) and 4 of the other.
__device__ inline void multiply(const float4* eight, unsigned eight_row, unsigned apart,
                                const float4* four, unsigned four_row, float (&sum)[8][4]) {
#pragma unroll
  for (unsigned term = 0; term < kTerms; ++term) {
    float a[2][4], b[4];
    unpack_sv(eight[term * eight_row], a[0]);
    unpack_sv(eight[term * eight_row + apart], a[1]);
    unpack_sv(four[term * four_row], b);
#pragma unroll
    for (unsigned i = 0; i < 8; ++i) {
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) sum[i][j] = mac(a[i / 4][i % 4], b[j], sum[i][j]);
    }
  }
}
