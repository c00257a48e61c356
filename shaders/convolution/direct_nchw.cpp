// Convolution, one output per lane straight from global memory; NCHW, KCRS filters.
// Buffers: 0 x[n*c*h, w] T read, 1 filter[k, c*r*s] T read, 2 y[n*k*p, q] f32 write; padded rows.
// Constants: Shape (convolution/shape.hpp), elements. Group: 256 lanes, 256 outputs.
// dtypes: f16 f32
// Source: own.
#include "shaders/convolution/shape.hpp"
#include "shaders/host.hpp"

void PARALLAX_KERNEL(const parallax::HostGroup& group) {
  const T* x = parallax::buffer<T>(group, 0);
  const T* filter = parallax::buffer<T>(group, 1);
  float* y = parallax::buffer<float>(group, 2);
  const auto dim = parallax::constants<Shape>(group);
  for (std::uint32_t lane = 0; lane < 256; ++lane) {
    std::uint32_t i = parallax::linear_group(group) * 256 + lane;
    const std::uint32_t q = i % dim.q;
    i /= dim.q;
    const std::uint32_t p = i % dim.p;
    i /= dim.p;
    const std::uint32_t k = i % dim.k;
    const std::uint32_t n = i / dim.k;
    if (n >= dim.n) return;
    // Above the image or left of it wraps to a huge number: one comparison checks both sides.
    const std::uint32_t h0 = p * dim.stride - dim.pad;
    const std::uint32_t w0 = q * dim.stride - dim.pad;
    float sum = 0.0f;
    for (std::uint32_t c = 0; c < dim.c; ++c) {
      for (std::uint32_t r = 0; r < dim.r; ++r) {
        for (std::uint32_t s = 0; s < dim.s; ++s) {
          if (h0 + r >= dim.h || w0 + s >= dim.w) continue;
          sum = mac(widen(x[x_at(dim, n, c, h0 + r, w0 + s)]),
                    widen(filter[filter_at(dim, k, c, r * dim.s + s)]), sum);
        }
      }
    }
    y[y_at(dim, n, k, p, q)] = sum;
  }
}
