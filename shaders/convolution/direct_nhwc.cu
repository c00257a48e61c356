// Convolution, one output per lane straight from global memory; NHWC, KRSC filters.
// Buffers: 0 x[n*h*w, c] T read, 1 filter[k*r*s, c] T read, 2 y[n*p*q, k] f32 write; padded rows.
// Constants: Shape (convolution/shape.cuh), elements. Group: 256 lanes, 256 outputs.
// dtypes: f16 f32
// Source: own.
#define PARALLAX_NHWC 1
#include "convolution/shape.cuh"

extern "C" __global__ void __launch_bounds__(256)
    PARALLAX_KERNEL(const T* __restrict__ x, const T* __restrict__ filter, float* __restrict__ y,
                    Shape dim) {
  unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * 256u + threadIdx.x;
  const unsigned k = i % dim.k;
  i /= dim.k;
  const unsigned q = i % dim.q;
  i /= dim.q;
  const unsigned p = i % dim.p;
  const unsigned n = i / dim.p;
  if (n >= dim.n) return;
  // Above the image or left of it wraps to a huge number: one comparison checks both sides.
  const unsigned h0 = p * dim.stride - dim.pad;
  const unsigned w0 = q * dim.stride - dim.pad;
  float sum = 0.0f;
  for (unsigned r = 0; r < dim.r; ++r) {
    for (unsigned s = 0; s < dim.s; ++s) {
      if (h0 + r >= dim.h || w0 + s >= dim.w) continue;
      for (unsigned c = 0; c < dim.c; ++c) {
        sum = mac(widen(x[x_at(dim, n, c, h0 + r, w0 + s)]),
                  widen(filter[filter_at(dim, k, c, r * dim.s + s)]), sum);
      }
    }
  }
  y[y_at(dim, n, k, p, q)] = sum;
}
