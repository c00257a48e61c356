// Convolution as GEMM without a stored matrix: 64 filters x 128 pixels x 16 terms; NCHW, KCRS.
// Buffers: 0 x[n*c*h, w] T read, 1 filter[k, c*r*s] V read, 2 y[n*k*p, q] f32 write; V is 16 bytes
// of T, rows are padded to it.
// Constants: Shape, pixels, terms, vectors of a filter, tiles of k, divisors by r*s and by s
// (convolution/gemm.clh). Group: 256 lanes, 64 x 128 outputs, 8 filters x 4 pixels each.
// dtypes: f16 f32
// Source: own.
#include "convolution/gemm.clh"

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void PARALLAX_KERNEL(
    global const T* restrict x, global const V* restrict filter, global float* restrict y,
    Constants con) {
  // A vector holds pixels 32 apart, so that neighbouring lanes read and write neighbours.
  local float4 pixels[kTerms * kPixelRow];
  local float4 filters[kTerms * kFilterRow];
  const Shape dim = con.dim;
  const uint lane = (uint)get_local_id(0);
  const uint group = (uint)get_group_id(1) * (uint)get_num_groups(0) + (uint)get_group_id(0);
  const uint k0 = group % con.tiles_k * kFilters;
  const uint pixel0 = group / con.tiles_k * kPixels;
  if (pixel0 >= con.pixels) return;
  uint h0[4], w0[4], base[4];
#pragma unroll
  for (uint i = 0; i < 4; ++i) {
    const uint pixel = pixel0 + lane % 32 + i * 32;
    const uint line = pixel / dim.q, n = line / dim.p;
    // Above the image or left of it wraps to a huge number; a pixel too many lies below the image.
    h0[i] = pixel < con.pixels ? (line - n * dim.p) * dim.stride - dim.pad : dim.h;
    w0[i] = (pixel - line * dim.q) * dim.stride - dim.pad;
    base[i] = x_at(dim, n, 0, h0[i], w0[i]);
  }
  float4 sum[8];
#pragma unroll
  for (uint i = 0; i < 8; ++i) sum[i] = (float4)(0.0f);
  const uint unit = lane % kUnits, row = lane / kUnits;
  const uint four = lane / 2 % 8 + lane / 32 % 4 * 8,
             eight = lane % 2 + lane / 16 % 2 * 2 + lane / 128 * 4;
  for (uint first = 0; first < con.row_vectors; first += kUnits) {
    float loaded[8];
#pragma unroll
    for (uint half_ = 0; half_ < 2; ++half_) {
      const uint term = first * kV + lane / 32 + half_ * 8;
      const uint c = divide(term, con.by_outer), tap = term - c * dim.r * dim.s;
      const uint r = divide(tap, con.by_s), s = tap - r * dim.s;
#pragma unroll
      for (uint i = 0; i < 4; ++i) {
        // A zero input cancels what the padding of a filter holds.
        const bool inside = term < con.terms && h0[i] + r < dim.h && w0[i] + s < dim.w;
        loaded[half_ * 4 + i] =
            inside ? WIDEN(x, base[i] + (c * dim.h + r) * dim.x_pitch + s) : 0.0f;
      }
    }
    V weights = (V)(0);
    if (row < kFilters && k0 + row < dim.k && first + unit < con.row_vectors) {
      weights = filter[(k0 + row) * con.row_vectors + first + unit];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint half_ = 0; half_ < 2; ++half_) {
      pixels[(lane / 32 + half_ * 8) * kPixelRow + lane % 32] = vload4(half_, loaded);
    }
    if (row < kFilters) {
      S values[kV];
      unpack(weights, values);
#pragma unroll
      for (uint j = 0; j < kV; ++j) {
        ((local float*)filters)[(unit * kV + j) * kFilterRow * 4 + row] = values[j];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    multiply(filters + eight, kFilterRow, 8, pixels + four, kPixelRow, sum);
  }
#pragma unroll
  for (uint j = 0; j < 4; ++j) {
    const uint pixel = pixel0 + four + j * 32;
    if (pixel >= con.pixels) continue;
    const uint line = pixel / dim.q, n = line / dim.p;
#pragma unroll
    for (uint i = 0; i < 8; ++i) {
      const uint k = k0 + i / 4 * 32 + 4 * eight + i % 4;
      float values[4];
      vstore4(sum[i], 0, values);
      if (k < dim.k) y[y_at(dim, n, k, line - n * dim.p, pixel - line * dim.q)] = values[j];
    }
  }
}
