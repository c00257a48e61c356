// Convolution, one output per lane straight from global memory; NHWC, KRSC filters.
// Buffers: 0 x[n*h*w, c] T read, 1 filter[k*r*s, c] T read, 2 y[n*p*q, k] f32 write; padded rows.
// Constants: Shape (convolution/shape.clh), elements. Group: 256 lanes, 256 outputs.
// dtypes: f16 f32
// Source: own.
#define PARALLAX_NHWC 1
#include "convolution/shape.clh"

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void PARALLAX_KERNEL(
    global const T* restrict x, global const T* restrict filter, global float* restrict y,
    Shape dim) {
  const uint group = (uint)get_group_id(1) * (uint)get_num_groups(0) + (uint)get_group_id(0);
  uint i = group * 256u + (uint)get_local_id(0);
  const uint k = i % dim.k;
  i /= dim.k;
  const uint q = i % dim.q;
  i /= dim.q;
  const uint p = i % dim.p;
  const uint n = i / dim.p;
  if (n >= dim.n) return;
  // Above the image or left of it wraps to a huge number: one comparison checks both sides.
  const uint h0 = p * dim.stride - dim.pad;
  const uint w0 = q * dim.stride - dim.pad;
  float sum = 0.0f;
  for (uint r = 0; r < dim.r; ++r) {
    for (uint s = 0; s < dim.s; ++s) {
      if (h0 + r >= dim.h || w0 + s >= dim.w) continue;
      for (uint c = 0; c < dim.c; ++c) {
        sum = MAC(WIDEN(x, x_at(dim, n, c, h0 + r, w0 + s)),
                  WIDEN(filter, filter_at(dim, k, c, r * dim.s + s)), sum);
      }
    }
  }
  y[y_at(dim, n, k, p, q)] = sum;
}
