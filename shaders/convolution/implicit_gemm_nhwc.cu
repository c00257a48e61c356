// Convolution as GEMM without a stored matrix: 64 filters x 128 pixels x 16 terms; NHWC, KRSC.
// Buffers: 0 x[n*h*w, c] V read, 1 filter[k*r*s, c] V read, 2 y[n*p*q, k] f32 write, as vectors;
// V is 16 bytes of T, rows are padded to it.
// Constants: Shape, pixels, terms, vectors of a filter, tiles of k, divisors by vectors of a row
// and by s (convolution/gemm.cuh). Group: 256 lanes, 64 x 128 outputs, 8 pixels x 4 filters each.
// dtypes: f16 f32
// Source: own.
#define PARALLAX_NHWC 1
#include "convolution/gemm.cuh"

extern "C" __global__ void __launch_bounds__(256)
    PARALLAX_KERNEL(const V* __restrict__ x, const V* __restrict__ filter, float4* __restrict__ y,
                    Constants con) {
  __shared__ float4 pixels[kTerms * kPixelRow];
  __shared__ float4 filters[kTerms * kFilterRow];
  constexpr unsigned kLoads = kPixels / kRows;
  const Shape dim = con.dim;
  const unsigned lane = threadIdx.x;
  const unsigned group = blockIdx.y * gridDim.x + blockIdx.x;
  const unsigned k0 = group % con.tiles_k * kFilters;
  const unsigned pixel0 = group / con.tiles_k * kPixels;
  if (pixel0 >= con.pixels) return;
  const unsigned unit = lane % kUnits, row = lane / kUnits;
  const unsigned c_vectors = dim.x_pitch / kV;
  unsigned h0[kLoads], w0[kLoads], base[kLoads];
#pragma unroll
  for (unsigned i = 0; i < kLoads; ++i) {
    const unsigned pixel = pixel0 + row + i * kRows;
    const unsigned line = pixel / dim.q, n = line / dim.p;
    // Above the image or left of it wraps to a huge number; a pixel too many lies below the image.
    h0[i] = pixel < con.pixels ? (line - n * dim.p) * dim.stride - dim.pad : dim.h;
    w0[i] = (pixel - line * dim.q) * dim.stride - dim.pad;
    base[i] = ((n * dim.h + h0[i]) * dim.w + w0[i]) * c_vectors;
  }
  float sum[8][4] = {};
  const unsigned four = lane / 2 % 8 + lane / 32 % 2 * 8,
                 eight = lane % 2 + lane / 16 % 2 * 2 + lane / 64 * 4;
  for (unsigned first = 0; first < con.row_vectors; first += kUnits) {
    const unsigned vector = first + unit;
    const unsigned tap = divide(vector, con.by_outer), c = vector - tap * c_vectors;
    const unsigned r = divide(tap, con.by_s), s = tap - r * dim.s;
    V loaded[kLoads], weights = V{};
#pragma unroll
    for (unsigned i = 0; i < kLoads; ++i) {
      const bool inside = h0[i] + r < dim.h && w0[i] + s < dim.w;
      loaded[i] = inside ? x[base[i] + (r * dim.w + s) * c_vectors + c] : V{};
    }
    if (row < kFilters && k0 + row < dim.k && vector < con.row_vectors) {
      weights = filter[(k0 + row) * con.row_vectors + vector];
    }
    S values[kV];
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kLoads; ++i) {
      unpack(loaded[i], values);
#pragma unroll
      for (unsigned j = 0; j < kV; ++j) {
        reinterpret_cast<float*>(pixels)[(unit * kV + j) * kPixelRow * 4 + row + i * kRows] =
            values[j];
      }
    }
    if (row < kFilters) {
      unpack(weights, values);
#pragma unroll
      for (unsigned j = 0; j < kV; ++j) {
        // A zero weight cancels what the padding of a row holds.
        reinterpret_cast<float*>(filters)[(unit * kV + j) * kFilterRow * 4 + row] =
            c * kV + j < dim.c ? values[j] : 0.0f;
      }
    }
    __syncthreads();
    multiply(pixels + eight, kPixelRow, 16, filters + four, kFilterRow, sum);
  }
  const unsigned k = k0 + 4 * four;
#pragma unroll
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned pixel = pixel0 + i / 4 * 64 + 4 * eight + i % 4;
    if (pixel >= con.pixels) continue;
    const unsigned at = (pixel * dim.y_pitch + k) / 4;
    if (k + 4 <= dim.k) {
      y[at] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
      continue;
    }
#pragma unroll
    for (unsigned j = 0; j < 3; ++j) {
      if (k + j < dim.k) reinterpret_cast<float*>(y + at)[j] = sum[i][j];
    }
  }
}
