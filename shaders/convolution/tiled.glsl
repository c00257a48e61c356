// Body of `tiled` in both layouts. Per step of input channels a group stages the halo of its 16 x
// 16 outputs and the filters of its 8 output channels in shared memory; a lane computes one pixel
// of all 8. Elements are read in the order of memory, so that neighbouring lanes read neighbours.
#include "convolution/shape.glsl"

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, binding = 0) readonly restrict buffer X { T x[]; };
layout(std430, binding = 1) readonly restrict buffer Filter { T filter_[]; };
layout(std430, binding = 2) writeonly restrict buffer Y { float y[]; };
layout(push_constant) uniform Constants {
  Shape dim;
  uint step_, halo_w, halo_plane, tiles_q, tiles_p, tiles_k;
  Divisor by_halo, by_halo_w, by_filter, by_taps;
};

shared float halo[4096];   // [channel][halo_h][halo_w]
shared vec4 filters[512];  // [channel][tap][8]

void main() {
  const uint lane = gl_LocalInvocationID.x;
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint k0 = group % tiles_k * 8;
  group /= tiles_k;
  const uint q0 = group % tiles_q * 16;
  group /= tiles_q;
  const uint p0 = group % tiles_p * 16;
  const uint n = group / tiles_p;
  if (n >= dim.n) return;
  const uint taps = dim.r * dim.s;
  // Above the image or left of it wraps to a huge number: one comparison checks both sides.
  const uint h0 = p0 * dim.stride - dim.pad;
  const uint w0 = q0 * dim.stride - dim.pad;
  const uint corner = (lane / 16 * halo_w + lane % 16) * dim.stride;
  vec4 sum[2] = {vec4(0.0), vec4(0.0)};
  for (uint c0 = 0; c0 < dim.c; c0 += step_) {
    barrier();
    for (uint i = lane; i < step_ * halo_plane; i += 256) {
      const uint outer = divide(i, by_halo);
#if defined(PARALLAX_NHWC)
      const uint place = outer, c = i - outer * step_;
#else
      const uint c = outer, place = i - outer * halo_plane;
#endif
      const uint row = divide(place, by_halo_w);
      const uint h = h0 + row, w = w0 + place - row * halo_w;
      const bool inside = c0 + c < dim.c && h < dim.h && w < dim.w;
      halo[c * halo_plane + place] = inside ? WIDEN(x[X_AT(n, c0 + c, h, w)]) : 0.0;
    }
    for (uint i = lane; i < step_ * taps * 8; i += 256) {
      const uint outer = divide(i, by_filter);
#if defined(PARALLAX_NHWC)
      const uint j = divide(outer, by_taps), tap = outer - j * taps;
      const uint c = i - outer * step_;
#else
      const uint j = outer, inner = i - outer * step_ * taps;
      const uint c = divide(inner, by_taps), tap = inner - c * taps;
#endif
      const bool inside = c0 + c < dim.c && k0 + j < dim.k;
      filters[(c * taps + tap) * 2 + j / 4][j % 4] =
          inside ? WIDEN(filter_[FILTER_AT(k0 + j, c0 + c, tap)]) : 0.0;
    }
    barrier();
    const uint channels = min(step_, dim.c - c0);
    for (uint c = 0, f = 0; c < channels; ++c) {
      for (uint r = 0; r < dim.r; ++r) {
        const uint at = c * halo_plane + r * halo_w + corner;
        for (uint s = 0; s < dim.s; ++s, f += 2) {
          const vec4 value = vec4(halo[at + s]);
          sum[0] = fma(value, filters[f], sum[0]);
          sum[1] = fma(value, filters[f + 1], sum[1]);
        }
      }
    }
  }
  const uint p = p0 + lane / 16, q = q0 + lane % 16;
  if (p >= dim.p || q >= dim.q) return;
  [[unroll]] for (uint j = 0; j < 8; ++j) {
    if (k0 + j < dim.k) y[Y_AT(n, k0 + j, p, q)] = sum[j / 4][j % 4];
  }
}
