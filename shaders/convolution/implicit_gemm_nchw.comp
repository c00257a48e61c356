// Convolution as GEMM without a stored matrix: 64 filters x 128 pixels x 16 terms; NCHW, KCRS.
// Buffers: 0 x[n*c*h, w] T read, 1 filter[k, c*r*s] V read, 2 y[n*k*p, q] f32 write; V is 16 bytes
// of T, rows are padded to it.
// Constants: Shape, pixels, terms, vectors of a filter, tiles of k, divisors by r*s and by s
// (convolution/gemm.glsl). Group: 256 lanes, 64 x 128 outputs, 8 filters x 4 pixels each.
// dtypes: f16 f32
// Source: own.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define PARALLAX_SCALAR
#include "convolution/gemm.glsl"
layout(std430, binding = 0) readonly restrict buffer X { T x[]; };
layout(std430, binding = 1) readonly restrict buffer Filter { V filter_[]; };
layout(std430, binding = 2) writeonly restrict buffer Y { float y[]; };

// A vector of `pixels` holds pixels 32 apart, so that neighbouring lanes read and write neighbours.
void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint k0 = group % tiles_k * kFilters;
  const uint pixel0 = group / tiles_k * kPixels;
  if (pixel0 >= pixel_count) return;
  uint h0[4], w0[4], base[4];
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    const uint pixel = pixel0 + lane % 32 + i * 32;
    const uint line = pixel / dim.q, n = line / dim.p;
    // Above the image or left of it wraps to a huge number; a pixel too many lies below the image.
    h0[i] = pixel < pixel_count ? (line - n * dim.p) * dim.stride - dim.pad : dim.h;
    w0[i] = (pixel - line * dim.q) * dim.stride - dim.pad;
    base[i] = X_AT(n, 0, h0[i], w0[i]);
  }
  [[unroll]] for (uint i = 0; i < 8; ++i) sum[i] = vec4(0.0);
  const uint unit = lane % kUnits, row = lane / kUnits;
  const uint four = lane / 2 % 8 + lane / 32 % 4 * 8;
  const uint eight = lane % 2 + lane / 16 % 2 * 2 + lane / 128 * 4;
  for (uint first = 0; first < row_vectors; first += kUnits) {
    vec4 loaded[2];
    [[unroll]] for (uint half_ = 0; half_ < 2; ++half_) {
      const uint term = first * kV + lane / 32 + half_ * 8;
      const uint c = divide(term, by_outer), tap = term - c * dim.r * dim.s;
      const uint r = divide(tap, by_s), s = tap - r * dim.s;
      [[unroll]] for (uint i = 0; i < 4; ++i) {
        // A zero input cancels what the padding of a filter holds.
        const bool inside = term < terms && h0[i] + r < dim.h && w0[i] + s < dim.w;
        loaded[half_][i] = inside ? WIDEN(x[base[i] + (c * dim.h + r) * dim.x_pitch + s]) : 0.0;
      }
    }
    V weights = V(0);
    if (row < kFilters && k0 + row < dim.k && first + unit < row_vectors) {
      weights = filter_[(k0 + row) * row_vectors + first + unit];
    }
    barrier();
    [[unroll]] for (uint half_ = 0; half_ < 2; ++half_) {
      pixels[(lane / 32 + half_ * 8) * kPixelRow + lane % 32] = loaded[half_];
    }
    if (row < kFilters) {
      S values[kV];
      unpack(weights, values);
      [[unroll]] for (uint j = 0; j < kV; ++j) {
        filters[(unit * kV + j) * kFilterRow + row / 4][row % 4] = values[j];
      }
    }
    barrier();
    [[unroll]] for (uint term = 0; term < kTerms; ++term) {
      multiply(filters[term * kFilterRow + eight], filters[term * kFilterRow + eight + 8],
               pixels[term * kPixelRow + four]);
    }
  }
  [[unroll]] for (uint j = 0; j < 4; ++j) {
    const uint pixel = pixel0 + four + j * 32;
    if (pixel >= pixel_count) continue;
    const uint line = pixel / dim.q, n = line / dim.p;
    [[unroll]] for (uint i = 0; i < 8; ++i) {
      const uint k = k0 + i / 4 * 32 + 4 * eight + i % 4;
      if (k < dim.k) y[Y_AT(n, k, line - n * dim.p, pixel - line * dim.q)] = sum[i][j];
    }
  }
}
