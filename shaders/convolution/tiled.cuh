// Body of `tiled` in both layouts. Per step of input channels a group stages the halo of its 16 x
// 16 outputs and the filters of its 8 output channels in shared memory; a lane computes one pixel
// of all 8. Elements are read in the order of memory, so that neighbouring lanes read neighbours.
#include "convolution/shape.cuh"

struct Constants {
  Shape dim;
  unsigned step, halo_w, halo_plane, tiles_q, tiles_p, tiles_k;
  Divisor by_halo, by_halo_w, by_filter, by_taps;
};

extern "C" __global__ void __launch_bounds__(256)
    PARALLAX_KERNEL(const T* __restrict__ x, const T* __restrict__ filter, float* __restrict__ y,
                    Constants con) {
  __shared__ float halo[4096];     // [channel][halo_h][halo_w]
  __shared__ float4 filters[512];  // [channel][tap][8]
  const Shape dim = con.dim;
  const unsigned lane = threadIdx.x;
  unsigned group = blockIdx.y * gridDim.x + blockIdx.x;
  const unsigned k0 = group % con.tiles_k * 8;
  group /= con.tiles_k;
  const unsigned q0 = group % con.tiles_q * 16;
  group /= con.tiles_q;
  const unsigned p0 = group % con.tiles_p * 16;
  const unsigned n = group / con.tiles_p;
  if (n >= dim.n) return;
  const unsigned taps = dim.r * dim.s;
  // Above the image or left of it wraps to a huge number: one comparison checks both sides.
  const unsigned h0 = p0 * dim.stride - dim.pad;
  const unsigned w0 = q0 * dim.stride - dim.pad;
  const unsigned corner = (lane / 16 * con.halo_w + lane % 16) * dim.stride;
  float sum[8] = {};
  for (unsigned c0 = 0; c0 < dim.c; c0 += con.step) {
    __syncthreads();
    for (unsigned i = lane; i < con.step * con.halo_plane; i += 256) {
      const unsigned outer = divide(i, con.by_halo);
#if defined(PARALLAX_NHWC)
      const unsigned place = outer, c = i - outer * con.step;
#else
      const unsigned c = outer, place = i - outer * con.halo_plane;
#endif
      const unsigned row = divide(place, con.by_halo_w);
      const unsigned h = h0 + row, w = w0 + place - row * con.halo_w;
      const bool inside = c0 + c < dim.c && h < dim.h && w < dim.w;
      halo[c * con.halo_plane + place] = inside ? widen(x[x_at(dim, n, c0 + c, h, w)]) : 0.0f;
    }
    for (unsigned i = lane; i < con.step * taps * 8; i += 256) {
      const unsigned outer = divide(i, con.by_filter);
#if defined(PARALLAX_NHWC)
      const unsigned j = divide(outer, con.by_taps), tap = outer - j * taps;
      const unsigned c = i - outer * con.step;
#else
      const unsigned j = outer, inner = i - outer * con.step * taps;
      const unsigned c = divide(inner, con.by_taps), tap = inner - c * taps;
#endif
      const bool inside = c0 + c < dim.c && k0 + j < dim.k;
      reinterpret_cast<float*>(filters)[(c * taps + tap) * 8 + j] =
          inside ? widen(filter[filter_at(dim, k0 + j, c0 + c, tap)]) : 0.0f;
    }
    __syncthreads();
    const unsigned channels = min(con.step, dim.c - c0);
    for (unsigned c = 0, f = 0; c < channels; ++c) {
      for (unsigned r = 0; r < dim.r; ++r) {
        const unsigned at = c * con.halo_plane + r * con.halo_w + corner;
        for (unsigned s = 0; s < dim.s; ++s, f += 2) {
          float weights[2][4];
          unpack_sv(filters[f], weights[0]);
          unpack_sv(filters[f + 1], weights[1]);
#pragma unroll
          for (unsigned j = 0; j < 8; ++j) {
            sum[j] = mac(halo[at + s], weights[j / 4][j % 4], sum[j]);
          }
        }
      }
    }
  }
  const unsigned p = p0 + lane / 16, q = q0 + lane % 16;
  if (p >= dim.p || q >= dim.q) return;
#pragma unroll
  for (unsigned j = 0; j < 8; ++j) {
    if (k0 + j < dim.k) y[y_at(dim, n, k0 + j, p, q)] = sum[j];
  }
}
