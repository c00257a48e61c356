// Convolution as GEMM without a stored matrix: 64 filters x 128 pixels x 16 terms; NCHW, KCRS.
// Buffers: 0 x[n*c*h, w] T read, 1 filter[k, c*r*s] V read, 2 y[n*k*p, q] f32 write; V is 16 bytes
// of T, rows are padded to it.
// Constants: Shape, pixels, terms, vectors of a filter, tiles of k, divisors by r*s and by s
// (convolution/gemm.hpp). Group: 256 lanes, 64 x 128 outputs, 8 filters x 4 pixels each.
// dtypes: f16 f32
// Source: own.
#include "shaders/convolution/gemm.hpp"
#include "shaders/host.hpp"

namespace {

// A vector holds pixels 32 apart, as on devices, where neighbouring lanes read neighbours.
void load_pixels(const Constants& con, const Window (&windows)[kPixels], std::uint32_t first,
                 const T* x, float (&pixels)[kTerms][kPixels]) {
  const Shape& dim = con.dim;
  for (std::uint32_t term = first; term < first + kTerms; ++term) {
    const std::uint32_t c = divide(term, con.by_outer), tap = term - c * dim.r * dim.s;
    const std::uint32_t r = divide(tap, con.by_s), s = tap - r * dim.s;
    for (std::uint32_t i = 0; i < kPixels; ++i) {
      const std::uint32_t h = windows[i].h0 + r, w = windows[i].w0 + s;
      // A zero input cancels what the padding of a filter holds.
      const bool inside = term < con.terms && h < dim.h && w < dim.w;
      pixels[term - first][i % 32 * 4 + i / 32] =
          inside ? widen(x[x_at(dim, windows[i].n, c, h, w)]) : 0.0f;
    }
  }
}

void load_filters(const Constants& con, std::uint32_t k0, std::uint32_t first, const T* filter,
                  float (&filters)[kTerms][kFilters]) {
  const std::size_t pitch = con.dim.filter_pitch;
  for (std::uint32_t term = first; term < first + kTerms; ++term) {
    for (std::uint32_t i = 0; i < kFilters; ++i) {
      const bool inside = k0 + i < con.dim.k && term < pitch;
      filters[term - first][i] = inside ? widen(filter[(k0 + i) * pitch + term]) : 0.0f;
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
  const std::uint32_t index = parallax::linear_group(group);
  const std::uint32_t k0 = index % con.tiles_k * kFilters;
  const std::uint32_t pixel0 = index / con.tiles_k * kPixels;
  if (pixel0 >= con.pixels) return;
  Window windows[kPixels];
  find_windows(con, pixel0, windows);
  float pixels[kTerms][kPixels];
  float filters[kTerms][kFilters];
  float sum[256][32] = {};
  const auto four = [](std::uint32_t lane) { return lane / 2 % 8 + lane / 32 % 4 * 8; };
  const auto eight = [](std::uint32_t lane) {
    return lane % 2 + lane / 16 % 2 * 2 + lane / 128 * 4;
  };
  for (std::uint32_t first = 0; first < con.row_vectors * kV; first += kTerms) {
    load_pixels(con, windows, first, x, pixels);
    load_filters(con, k0, first, filter, filters);
    for (std::uint32_t lane = 0; lane < 256; ++lane) {
      multiply(&filters[0][4 * eight(lane)], kFilters, 32, &pixels[0][4 * four(lane)], kPixels,
               sum[lane]);
    }
  }
  for (std::uint32_t lane = 0; lane < 256; ++lane) {
    for (std::uint32_t j = 0; j < 4; ++j) {
      const std::uint32_t pixel = pixel0 + four(lane) + j * 32;
      if (pixel >= con.pixels) continue;
      const std::uint32_t line = pixel / dim.q, n = line / dim.p;
      for (std::uint32_t i = 0; i < 8; ++i) {
        const std::uint32_t k = k0 + i / 4 * 32 + 4 * eight(lane) + i % 4;
        if (k >= dim.k) continue;
        y[y_at(dim, n, k, line - n * dim.p, pixel - line * dim.q)] = sum[lane][4 * i + j];
      }
    }
  }
}
