// Convolution as GEMM without a stored matrix: 64 filters x 128 pixels x 16 terms; NHWC, KRSC.
// Buffers: 0 x[n*h*w, c] V read, 1 filter[k*r*s, c] V read, 2 y[n*p*q, k] f32 write, as vectors;
// V is 16 bytes of T, rows are padded to it.
// Constants: Shape, pixels, terms, vectors of a filter, tiles of k, divisors by vectors of a row
// and by s (convolution/gemm.clh). Group: 256 lanes, 64 x 128 outputs, 8 pixels x 4 filters each.
// dtypes: f16 f32
// Source: own.
#define PARALLAX_NHWC 1
#include "convolution/gemm.clh"

#define kLoads (kPixels / kRows)

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void PARALLAX_KERNEL(
    global const V* restrict x, global const V* restrict filter, global float4* restrict y,
    Constants con) {
  local float4 pixels[kTerms * kPixelRow];
  local float4 filters[kTerms * kFilterRow];
  const Shape dim = con.dim;
  const uint lane = (uint)get_local_id(0);
  const uint group = (uint)get_group_id(1) * (uint)get_num_groups(0) + (uint)get_group_id(0);
  const uint k0 = group % con.tiles_k * kFilters;
  const uint pixel0 = group / con.tiles_k * kPixels;
  if (pixel0 >= con.pixels) return;
  const uint unit = lane % kUnits, row = lane / kUnits;
  const uint c_vectors = dim.x_pitch / kV;
  uint h0[kLoads], w0[kLoads], base[kLoads];
#pragma unroll
  for (uint i = 0; i < kLoads; ++i) {
    const uint pixel = pixel0 + row + i * kRows;
    const uint line = pixel / dim.q, n = line / dim.p;
    // Above the image or left of it wraps to a huge number; a pixel too many lies below the image.
    h0[i] = pixel < con.pixels ? (line - n * dim.p) * dim.stride - dim.pad : dim.h;
    w0[i] = (pixel - line * dim.q) * dim.stride - dim.pad;
    base[i] = ((n * dim.h + h0[i]) * dim.w + w0[i]) * c_vectors;
  }
  float4 sum[8];
#pragma unroll
  for (uint i = 0; i < 8; ++i) sum[i] = (float4)(0.0f);
  const uint four = lane / 2 % 8 + lane / 32 % 2 * 8,
             eight = lane % 2 + lane / 16 % 2 * 2 + lane / 64 * 4;
  for (uint first = 0; first < con.row_vectors; first += kUnits) {
    const uint vector = first + unit;
    const uint tap = divide(vector, con.by_outer), c = vector - tap * c_vectors;
    const uint r = divide(tap, con.by_s), s = tap - r * dim.s;
    V loaded[kLoads], weights = (V)(0);
#pragma unroll
    for (uint i = 0; i < kLoads; ++i) {
      loaded[i] = (V)(0);
      if (h0[i] + r < dim.h && w0[i] + s < dim.w) {
        loaded[i] = x[base[i] + (r * dim.w + s) * c_vectors + c];
      }
    }
    if (row < kFilters && k0 + row < dim.k && vector < con.row_vectors) {
      weights = filter[(k0 + row) * con.row_vectors + vector];
    }
    S values[kV];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < kLoads; ++i) {
      unpack(loaded[i], values);
#pragma unroll
      for (uint j = 0; j < kV; ++j) {
        ((local float*)pixels)[(unit * kV + j) * kPixelRow * 4 + row + i * kRows] = values[j];
      }
    }
    if (row < kFilters) {
      unpack(weights, values);
#pragma unroll
      for (uint j = 0; j < kV; ++j) {
        // A zero weight cancels what the padding of a row holds.
        ((local float*)filters)[(unit * kV + j) * kFilterRow * 4 + row] =
            c * kV + j < dim.c ? values[j] : 0.0f;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    multiply(pixels + eight, kPixelRow, 16, filters + four, kFilterRow, sum);
  }
  const uint k = k0 + 4 * four;
#pragma unroll
  for (uint i = 0; i < 8; ++i) {
    const uint pixel = pixel0 + i / 4 * 64 + 4 * eight + i % 4;
    if (pixel >= con.pixels) continue;
    const uint at = (pixel * dim.y_pitch + k) / 4;
    if (k + 4 <= dim.k) {
      y[at] = sum[i];
      continue;
    }
    global float* last = (global float*)(y + at);
    if (k < dim.k) last[0] = sum[i].x;
    if (k + 1 < dim.k) last[1] = sum[i].y;
    if (k + 2 < dim.k) last[2] = sum[i].z;
  }
}
