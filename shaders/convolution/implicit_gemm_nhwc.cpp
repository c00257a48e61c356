// Convolution as GEMM without a stored matrix: 64 filters x 128 pixels x 16 terms; NHWC, KRSC.
// Buffers: 0 x[n*h*w, c] V read, 1 filter[k*r*s, c] V read, 2 y[n*p*q, k] f32 write, as vectors;
// V is 16 bytes of T, rows are padded to it.
// Constants: Shape, pixels, terms, vectors of a filter, tiles of k, divisors by vectors of a row
// and by s (convolution/gemm.hpp). Group: 256 lanes, 64 x 128 outputs, 8 pixels x 4 filters each.
// dtypes: f16 f32
// Source: own.
#define PARALLAX_NHWC 1
#include "shaders/convolution/gemm.hpp"
#include "shaders/host.hpp"

namespace {

// Terms first to first + 15, counted over the taps of padded channels.
void load_pixels(const Constants& con, const Window (&windows)[kPixels], std::uint32_t first,
                 const T* x, float (&pixels)[kTerms][kPixels]) {
  const Shape& dim = con.dim;
  for (std::uint32_t vector = first; vector < first + kTerms / kV; ++vector) {
    const std::uint32_t tap = divide(vector, con.by_outer);
    const std::uint32_t c = vector * kV - tap * dim.x_pitch;
    const std::uint32_t r = divide(tap, con.by_s), s = tap - r * dim.s;
    for (std::uint32_t i = 0; i < kPixels; ++i) {
      const std::uint32_t h = windows[i].h0 + r, w = windows[i].w0 + s;
      const bool inside = h < dim.h && w < dim.w;
      for (std::uint32_t j = 0; j < kV; ++j) {
        pixels[(vector - first) * kV + j][i] =
            inside ? widen(x[x_at(dim, windows[i].n, c + j, h, w)]) : 0.0f;
      }
    }
  }
}

void load_filters(const Constants& con, std::uint32_t k0, std::uint32_t first, const T* filter,
                  float (&filters)[kTerms][kFilters]) {
  const Shape& dim = con.dim;
  for (std::uint32_t vector = first; vector < first + kTerms / kV; ++vector) {
    const std::uint32_t tap = divide(vector, con.by_outer);
    const std::uint32_t c = vector * kV - tap * dim.x_pitch;
    for (std::uint32_t i = 0; i < kFilters; ++i) {
      const bool inside = k0 + i < dim.k && vector < con.row_vectors;
      for (std::uint32_t j = 0; j < kV; ++j) {
        // A zero weight cancels what the padding of a row holds.
        filters[(vector - first) * kV + j][i] =
            inside && c + j < dim.c ? widen(filter[filter_at(dim, k0 + i, c + j, tap)]) : 0.0f;
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
  const std::uint32_t index = parallax::linear_group(group);
  const std::uint32_t k0 = index % con.tiles_k * kFilters;
  const std::uint32_t pixel0 = index / con.tiles_k * kPixels;
  if (pixel0 >= con.pixels) return;
  Window windows[kPixels];
  find_windows(con, pixel0, windows);
  float pixels[kTerms][kPixels];
  float filters[kTerms][kFilters];
  float sum[256][32] = {};
  const auto four = [](std::uint32_t lane) { return lane / 2 % 8 + lane / 32 % 2 * 8; };
  const auto eight = [](std::uint32_t lane) {
    return lane % 2 + lane / 16 % 2 * 2 + lane / 64 * 4;
  };
  for (std::uint32_t first = 0; first < con.row_vectors; first += kTerms / kV) {
    load_pixels(con, windows, first, x, pixels);
    load_filters(con, k0, first, filter, filters);
    for (std::uint32_t lane = 0; lane < 256; ++lane) {
      multiply(&pixels[0][4 * eight(lane)], kPixels, 64, &filters[0][4 * four(lane)], kFilters,
               sum[lane]);
    }
  }
  for (std::uint32_t lane = 0; lane < 256; ++lane) {
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint32_t pixel = pixel0 + i / 4 * 64 + 4 * eight(lane) + i % 4;
      if (pixel >= con.pixels) continue;
      for (std::uint32_t j = 0; j < 4; ++j) {
        const std::uint32_t k = k0 + 4 * four(lane) + j;
        if (k < con.dim.k) y[std::size_t{pixel} * con.dim.y_pitch + k] = sum[lane][4 * i + j];
      }
    }
  }
}
