// What both layouts of `implicit_gemm` share. A group computes 64 filters x 128 pixels, counted
// over the batch, in steps of 16 terms, which lie in shared memory [term][filter] and
// [term][pixel]. Neighbouring lanes read a term as vectors of four; a vector more than needed per
// row spreads the stores over the banks. A lane keeps 8 x 4 sums. Of 32 lanes 4 take other eights
// and 8 other fours, such that lane ^ 2 reads the same eight and lane ^ 1 the same four: NVIDIA's
// shared memory serves such reads of 16 bytes in two turns instead of four
// (forums.developer.nvidia.com/t/77228).
#include "convolution/shape.glsl"

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(push_constant) uniform Constants {
  Shape dim;
  uint pixel_count, terms, row_vectors, tiles_k;
  Divisor by_outer, by_s;
};

const uint kFilters = 64, kPixels = 128, kTerms = 16;
const uint kFilterRow = kFilters / 4 + 1, kPixelRow = kPixels / 4 + 1;
// Vectors of 16 bytes that hold the terms of a step, and rows of them that 256 lanes load at once.
const uint kUnits = kTerms / kV, kRows = 256 / kUnits;

shared vec4 pixels[kTerms * kPixelRow];
shared vec4 filters[kTerms * kFilterRow];
vec4 sum[8];

// Adds the products of one term: 8 values of one side, 4 of the other.
void multiply(vec4 a0, vec4 a1, vec4 b) {
  sum[0] = fma(vec4(a0.x), b, sum[0]);
  sum[1] = fma(vec4(a0.y), b, sum[1]);
  sum[2] = fma(vec4(a0.z), b, sum[2]);
  sum[3] = fma(vec4(a0.w), b, sum[3]);
  sum[4] = fma(vec4(a1.x), b, sum[4]);
  sum[5] = fma(vec4(a1.y), b, sum[5]);
  sum[6] = fma(vec4(a1.z), b, sum[6]);
  sum[7] = fma(vec4(a1.w), b, sum[7]);
}
