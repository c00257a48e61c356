// Convolution as GEMM without a stored matrix: 64 filters x 128 pixels x 16 terms; NCHW, KCRS.
// Buffers: 0 x[n*c*h, w] T read, 1 filter[k, c*r*s] V read, 2 y[n*k*p, q] f32 write; V is 16 bytes
// of T, rows are padded to it.
// Constants: Shape, pixels, terms, vectors of a filter, tiles of k, divisors by r*s and by s
// (convolution/gemm.cuh). Group: 256 lanes, 64 x 128 outputs, 8 filters x 4 pixels each.
// dtypes: f16 f32
// Source: own.
#include "convolution/gemm.cuh"

extern "C" __global__ void __launch_bounds__(256)
    PARALLAX_KERNEL(const T* __restrict__ x, const V* __restrict__ filter, float* __restrict__ y,
                    Constants con) {
  // A vector holds pixels 32 apart, so that neighbouring lanes read and write neighbours.
  __shared__ float4 pixels[kTerms * kPixelRow];
  __shared__ float4 filters[kTerms * kFilterRow];
  const Shape dim = con.dim;
  const unsigned lane = threadIdx.x;
  const unsigned group = blockIdx.y * gridDim.x + blockIdx.x;
  const unsigned k0 = group % con.tiles_k * kFilters;
  const unsigned pixel0 = group / con.tiles_k * kPixels;
  if (pixel0 >= con.pixels) return;
  unsigned h0[4], w0[4], base[4];
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned pixel = pixel0 + lane % 32 + i * 32;
    const unsigned line = pixel / dim.q, n = line / dim.p;
    // Above the image or left of it wraps to a huge number; a pixel too many lies below the image.
    h0[i] = pixel < con.pixels ? (line - n * dim.p) * dim.stride - dim.pad : dim.h;
    w0[i] = (pixel - line * dim.q) * dim.stride - dim.pad;
    base[i] = x_at(dim, n, 0, h0[i], w0[i]);
  }
  float sum[8][4] = {};
  const unsigned unit = lane % kUnits, row = lane / kUnits;
  const unsigned four = lane / 2 % 8 + lane / 32 % 4 * 8,
                 eight = lane % 2 + lane / 16 % 2 * 2 + lane / 128 * 4;
  for (unsigned first = 0; first < con.row_vectors; first += kUnits) {
    float loaded[2][4];
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned term = first * kV + lane / 32 + half * 8;
      const unsigned c = divide(term, con.by_outer), tap = term - c * dim.r * dim.s;
      const unsigned r = divide(tap, con.by_s), s = tap - r * dim.s;
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        // A zero input cancels what the padding of a filter holds.
        const bool inside = term < con.terms && h0[i] + r < dim.h && w0[i] + s < dim.w;
        loaded[half][i] = inside ? widen(x[base[i] + (c * dim.h + r) * dim.x_pitch + s]) : 0.0f;
      }
    }
    V weights = V{};
    if (row < kFilters && k0 + row < dim.k && first + unit < con.row_vectors) {
      weights = filter[(k0 + row) * con.row_vectors + first + unit];
    }
    __syncthreads();
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      pixels[(lane / 32 + half * 8) * kPixelRow + lane % 32] =
          make_float4(loaded[half][0], loaded[half][1], loaded[half][2], loaded[half][3]);
    }
    if (row < kFilters) {
      S values[kV];
      unpack(weights, values);
#pragma unroll
      for (unsigned j = 0; j < kV; ++j) {
        reinterpret_cast<float*>(filters)[(unit * kV + j) * kFilterRow * 4 + row] = values[j];
      }
    }
    __syncthreads();
    multiply(filters + eight, kFilterRow, 8, pixels + four, kPixelRow, sum);
  }
#pragma unroll
  for (unsigned j = 0; j < 4; ++j) {
    const unsigned pixel = pixel0 + four + j * 32;
    if (pixel >= con.pixels) continue;
    const unsigned line = pixel / dim.q, n = line / dim.p;
#pragma unroll
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned k = k0 + i / 4 * 32 + 4 * eight + i % 4;
      if (k < dim.k) y[y_at(dim, n, k, line - n * dim.p, pixel - line * dim.q)] = sum[i][j];
    }
  }
}
