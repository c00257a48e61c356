// Convolution as GEMM without a stored matrix: 64 filters x 128 pixels x 16 terms; NHWC, KRSC.
// Buffers: 0 x[n*h*w, c] V read, 1 filter[k*r*s, c] V read, 2 y[n*p*q, k] f32 write, as vectors;
// V is 16 bytes of T, rows are padded to it.
// Constants: Shape, pixels, terms, vectors of a filter, tiles of k, divisors by vectors of a row
// and by s (convolution/gemm.glsl). Group: 256 lanes, 64 x 128 outputs, 8 pixels x 4 filters each.
// dtypes: f16 f32
// Source: own.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define PARALLAX_NHWC 1
#include "convolution/gemm.glsl"
layout(std430, binding = 0) readonly restrict buffer X { V x[]; };
layout(std430, binding = 1) readonly restrict buffer Filter { V filter_[]; };
layout(std430, binding = 2) writeonly restrict buffer Y { vec4 y[]; };

const uint kLoads = kPixels / kRows;

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint k0 = group % tiles_k * kFilters;
  const uint pixel0 = group / tiles_k * kPixels;
  if (pixel0 >= pixel_count) return;
  const uint unit = lane % kUnits, row = lane / kUnits;
  const uint c_vectors = dim.x_pitch / kV;
  uint h0[kLoads], w0[kLoads], base[kLoads];
  [[unroll]] for (uint i = 0; i < kLoads; ++i) {
    const uint pixel = pixel0 + row + i * kRows;
    const uint line = pixel / dim.q, n = line / dim.p;
    // Above the image or left of it wraps to a huge number; a pixel too many lies below the image.
    h0[i] = pixel < pixel_count ? (line - n * dim.p) * dim.stride - dim.pad : dim.h;
    w0[i] = (pixel - line * dim.q) * dim.stride - dim.pad;
    base[i] = ((n * dim.h + h0[i]) * dim.w + w0[i]) * c_vectors;
  }
  [[unroll]] for (uint i = 0; i < 8; ++i) sum[i] = vec4(0.0);
  const uint four = lane / 2 % 8 + lane / 32 % 2 * 8;
  const uint eight = lane % 2 + lane / 16 % 2 * 2 + lane / 64 * 4;
  for (uint first = 0; first < row_vectors; first += kUnits) {
    const uint vector = first + unit;
    const uint tap = divide(vector, by_outer), c = vector - tap * c_vectors;
    const uint r = divide(tap, by_s), s = tap - r * dim.s;
    V loaded[kLoads], weights = V(0);
    [[unroll]] for (uint i = 0; i < kLoads; ++i) {
      loaded[i] = V(0);
      if (h0[i] + r < dim.h && w0[i] + s < dim.w) {
        loaded[i] = x[base[i] + (r * dim.w + s) * c_vectors + c];
      }
    }
    if (row < kFilters && k0 + row < dim.k && vector < row_vectors) {
      weights = filter_[(k0 + row) * row_vectors + vector];
    }
    S values[kV];
    barrier();
    [[unroll]] for (uint i = 0; i < kLoads; ++i) {
      unpack(loaded[i], values);
      const uint pixel = row + i * kRows;
      [[unroll]] for (uint j = 0; j < kV; ++j) {
        pixels[(unit * kV + j) * kPixelRow + pixel / 4][pixel % 4] = values[j];
      }
    }
    if (row < kFilters) {
      unpack(weights, values);
      [[unroll]] for (uint j = 0; j < kV; ++j) {
        // A zero weight cancels what the padding of a row holds.
        filters[(unit * kV + j) * kFilterRow + row / 4][row % 4] =
            c * kV + j < dim.c ? values[j] : 0.0;
      }
    }
    barrier();
    [[unroll]] for (uint term = 0; term < kTerms; ++term) {
      multiply(pixels[term * kPixelRow + eight], pixels[term * kPixelRow + eight + 16],
               filters[term * kFilterRow + four]);
    }
  }
  const uint k = k0 + 4 * four;
  [[unroll]] for (uint i = 0; i < 8; ++i) {
    const uint pixel = pixel0 + i / 4 * 64 + 4 * eight + i % 4;
    if (pixel >= pixel_count) continue;
    const uint at = (pixel * dim.y_pitch + k) / 4;
    if (k + 4 <= dim.k) {
      y[at] = sum[i];
      continue;
    }
    if (k < dim.k) y[at].x = sum[i].x;
    if (k + 1 < dim.k) y[at].y = sum[i].y;
    if (k + 2 < dim.k) y[at].z = sum[i].z;
  }
}
