// Body of `tiled` in both layouts. Per step of input channels a group stages the halo of its 16 x
// 16 outputs and the filters of its 8 output channels in shared memory; a lane computes one pixel
// of all 8. Elements are read in the order of memory, so that neighbouring lanes read neighbours.
#pragma once

#include <algorithm>

#include "shaders/convolution/shape.hpp"
#include "shaders/host.hpp"

namespace {

struct Constants {
  Shape dim;
  std::uint32_t step, halo_w, halo_plane, tiles_q, tiles_p, tiles_k;
  Divisor by_halo, by_halo_w, by_filter, by_taps;
};

struct Group {
  std::uint32_t n, k0, p0, q0;
};

void load_halo(const Constants& con, const Group& g, std::uint32_t c0, const T* x, float* halo) {
  const Shape& dim = con.dim;
  // Above the image or left of it wraps to a huge number: one comparison checks both sides.
  const std::uint32_t h0 = g.p0 * dim.stride - dim.pad;
  const std::uint32_t w0 = g.q0 * dim.stride - dim.pad;
  for (std::uint32_t i = 0; i < con.step * con.halo_plane; ++i) {
    const std::uint32_t outer = divide(i, con.by_halo);
#if defined(PARALLAX_NHWC)
    const std::uint32_t place = outer, c = i - outer * con.step;
#else
    const std::uint32_t c = outer, place = i - outer * con.halo_plane;
#endif
    const std::uint32_t row = divide(place, con.by_halo_w);
    const std::uint32_t h = h0 + row, w = w0 + place - row * con.halo_w;
    const bool inside = c0 + c < dim.c && h < dim.h && w < dim.w;
    halo[c * con.halo_plane + place] = inside ? widen(x[x_at(dim, g.n, c0 + c, h, w)]) : 0.0f;
  }
}

void load_filters(const Constants& con, const Group& g, std::uint32_t c0, const T* filter,
                  float* filters) {
  const Shape& dim = con.dim;
  const std::uint32_t taps = dim.r * dim.s;
  for (std::uint32_t i = 0; i < con.step * taps * 8; ++i) {
    const std::uint32_t outer = divide(i, con.by_filter);
#if defined(PARALLAX_NHWC)
    const std::uint32_t j = divide(outer, con.by_taps), tap = outer - j * taps;
    const std::uint32_t c = i - outer * con.step;
#else
    const std::uint32_t j = outer, inner = i - outer * con.step * taps;
    const std::uint32_t c = divide(inner, con.by_taps), tap = inner - c * taps;
#endif
    const bool inside = c0 + c < dim.c && g.k0 + j < dim.k;
    filters[(c * taps + tap) * 8 + j] =
        inside ? widen(filter[filter_at(dim, g.k0 + j, c0 + c, tap)]) : 0.0f;
  }
}

void multiply(const Constants& con, std::uint32_t lane, std::uint32_t channels, const float* halo,
              const float* filters, float* __restrict__ sum) {
  const std::uint32_t corner = (lane / 16 * con.halo_w + lane % 16) * con.dim.stride;
  for (std::uint32_t c = 0; c < channels; ++c) {
    for (std::uint32_t r = 0; r < con.dim.r; ++r) {
      const std::uint32_t at = c * con.halo_plane + r * con.halo_w + corner;
      for (std::uint32_t s = 0; s < con.dim.s; ++s, filters += 8) {
        const float value = halo[at + s];
        for (std::uint32_t j = 0; j < 8; ++j) sum[j] = mac(value, filters[j], sum[j]);
      }
    }
  }
}

}  // namespace

void PARALLAX_KERNEL(const parallax::HostGroup& group) {
  const T* x = parallax::buffer<T>(group, 0);
  const T* filter = parallax::buffer<T>(group, 1);
  float* y = parallax::buffer<float>(group, 2);
  const auto con = parallax::constants<Constants>(group);
  const Shape& dim = con.dim;
  float halo[4096];     // [channel][halo_h][halo_w]
  float filters[2048];  // [channel][tap][8]
  float sum[256][8] = {};
  std::uint32_t i = parallax::linear_group(group);
  Group g{};
  g.k0 = i % con.tiles_k * 8;
  i /= con.tiles_k;
  g.q0 = i % con.tiles_q * 16;
  i /= con.tiles_q;
  g.p0 = i % con.tiles_p * 16;
  g.n = i / con.tiles_p;
  if (g.n >= dim.n) return;
  for (std::uint32_t c0 = 0; c0 < dim.c; c0 += con.step) {
    load_halo(con, g, c0, x, halo);
    load_filters(con, g, c0, filter, filters);
    const std::uint32_t channels = std::min(con.step, dim.c - c0);
    for (std::uint32_t lane = 0; lane < 256; ++lane) {
      multiply(con, lane, channels, halo, filters, sum[lane]);
    }
  }
  for (std::uint32_t lane = 0; lane < 256; ++lane) {
    const std::uint32_t p = g.p0 + lane / 16, q = g.q0 + lane % 16;
    if (p >= dim.p || q >= dim.q) continue;
    for (std::uint32_t j = 0; j < 8; ++j) {
      if (g.k0 + j < dim.k) y[y_at(dim, g.n, g.k0 + j, p, q)] = sum[lane][j];
    }
  }
}
