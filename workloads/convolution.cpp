#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "workloads/convolution_reference.hpp"
#include "workloads/convolution_shape.hpp"
#include "workloads/workload.hpp"

namespace parallax {
namespace {

namespace detail = convolution_detail;
using detail::ceil_div;
using detail::Shape;

std::uint32_t u32(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

/// Multiplier and shift that divide a number n below 2^31 without a divide instruction: n / d is
/// n * m >> (31 + shift) for shift = ceil(log2(d)) and m = ceil(2^(31 + shift) / d). With
/// m * d = 2^(31 + shift) + e the product is n / d + n * e / (d * 2^(31 + shift)), and the excess
/// is less than 1 / d, because n < 2^31 and e < d <= 2^shift.
/// Source: Granlund and Montgomery, "Division by invariant integers using multiplication", PLDI 1994.
struct Divisor {
  std::uint32_t multiplier, shift;
  explicit Divisor(std::uint64_t divisor)
      : shift(u32(static_cast<std::uint64_t>(std::bit_width(divisor - 1)))) {
    multiplier = u32(ceil_div(std::uint64_t{1} << (31 + shift), divisor));
  }
};

/// Constants of every kernel (shaders/convolution/shape.*).
struct ShapeConstants {
  std::uint32_t n, c, h, w, k, r, s, stride, pad, p, q, x_pitch, filter_pitch, y_pitch;
};

/// Constants of `tiled` (shaders/convolution/tiled.*).
struct TiledConstants {
  ShapeConstants shape;
  std::uint32_t step, halo_w, halo_plane, tiles_q, tiles_p, tiles_k;
  Divisor by_halo, by_halo_w, by_filter, by_taps;
};

/// Constants of `implicit_gemm` (shaders/convolution/gemm.*).
struct GemmConstants {
  ShapeConstants shape;
  std::uint32_t pixels, terms, row_vectors, tiles_k;
  Divisor by_outer, by_s;
};

/// 2-D convolution as networks define it (no flip of the filter): y[n, k, p, q] = sum over c, r, s
/// of x[n, c, p * stride + r - pad, q * stride + s - pad] * filter[k, c, r, s], zero outside the
/// image. Accumulation and output are f32.
class Convolution : public Workload {
 public:
  std::string_view name() const override { return "convolution"; }
  std::vector<Dtype> dtypes() const override { return {Dtype::f32, Dtype::f16}; }
  std::vector<Variant> variants() const override {
    return {{.name = "direct"}, {.name = "tiled"}, {.name = "implicit_gemm"}};
  }
  std::vector<std::string> dims() const override {
    return {detail::kDims.begin(), detail::kDims.end()};
  }
  std::vector<std::string> named_sizes() const override {
    std::vector<std::string> names;
    for (const detail::Layer& layer : detail::kLayers) names.emplace_back(layer.name);
    return names;
  }

  std::optional<Size> complete(const Size& size) const override {
    if (size.empty()) return std::nullopt;
    return size.front().name.empty() ? detail::complete_named(size)
                                     : detail::complete_explicit(size);
  }

  std::vector<Size> sizes(Preset preset) const override;

  std::optional<std::string> size_error(const Size& size) const override {
    return detail::find_size_error({.size = size});
  }

  std::vector<BufferSpec> buffers(const Problem& problem) const override {
    const Shape z = detail::shape_of(problem);
    const auto matrix = [](std::string_view name, Role role, Dtype dtype, std::uint64_t rows,
                           std::uint64_t columns) {
      return BufferSpec{.name = std::string(name),
                        .role = role,
                        .dtype = dtype,
                        .rows = rows,
                        .columns = columns,
                        .pitch = padded_pitch(columns, dtype)};
    };
    const Dtype in = problem.dtype;
    if (z.nhwc) {
      return {matrix("x", Role::in, in, z.n * z.h * z.w, z.c),
              matrix("filter", Role::in, in, z.k * z.taps(), z.c),
              matrix("y", Role::out, Dtype::f32, z.pixels(), z.k)};
    }
    return {matrix("x", Role::in, in, z.n * z.c * z.h, z.w),
            matrix("filter", Role::in, in, z.k, z.terms()),
            matrix("y", Role::out, Dtype::f32, z.n * z.k * z.p, z.q)};
  }

  std::vector<Step> steps(const Problem& problem, std::string_view variant) const override {
    const Shape z = detail::shape_of(problem);
    const std::vector<BufferSpec> specs = buffers(problem);
    const ShapeConstants shape{
        .n = u32(z.n),
        .c = u32(z.c),
        .h = u32(z.h),
        .w = u32(z.w),
        .k = u32(z.k),
        .r = u32(z.r),
        .s = u32(z.s),
        .stride = u32(z.stride),
        .pad = u32(z.pad),
        .p = u32(z.p),
        .q = u32(z.q),
        .x_pitch = u32(specs[0].pitch),
        .filter_pitch = u32(specs[1].pitch),
        .y_pitch = u32(specs[2].pitch),
    };
    Step step{.kernel = fmt::format("convolution/{}_{}/{}", variant, problem.word("layout"),
                                    to_string(problem.dtype)),
              .group_size = {.x = 256},
              .groups = {},
              .buffers = {0, 1, 2},
              .constants = {}};
    if (variant == "tiled") {
      add_tiled(z, shape, step);
    } else if (variant == "implicit_gemm") {
      add_gemm(z, shape, 16 / size_bytes(problem.dtype), step);
    } else {
      step.groups = spread_groups(ceil_div(z.pixels() * z.k, 256));
      step.constants = as_constants(shape);
    }
    return {step};
  }

  Reference expected(const Problem& problem, Fill fill,
                     std::span<const Bytes> inputs) const override {
    const Shape z = detail::shape_of(problem);
    const std::vector<BufferSpec> specs = buffers(problem);
    const detail::RowSums sums(z, specs[0].pitch, specs[1].pitch,
                               detail::widened(inputs[0], problem.dtype),
                               detail::widened(inputs[1], problem.dtype));
    Reference reference;
    reference.buffer = 2;
    detail::fill_reference(z, sums, detail::checked_rows(z), specs[2].pitch, fill, reference);
    return reference;
  }

  /// An output is a sum of K = c*r*s products, each rounded (or fused) and added in f32. With e =
  /// |error| / sum |x*filter| the worst case is K*u; rounding errors of random sign grow with
  /// sqrt(K), and 6 sqrt(K) u is exceeded with negligible probability (Higham and Mary, "Sharper
  /// probabilistic backward error analysis for basic linear algebra kernels with random data", SIAM
  /// Journal on Scientific Computing 42(5), 2020). u is 2^-24 for f32; for f16 inputs, whose
  /// products are exact in f32, 2^-23, since matrix units may truncate the sum (arXiv 2403.00232).
  /// The second limit is the root mean square of e: 0.4 units of 2^-24 for correct f32 sums and 1
  /// to 3 with truncation, but tens and more for reduced precision. At K = 1 both leave room for
  /// the one rounding of the product, at most u.
  Tolerance tolerance(const Problem& problem) const override {
    const bool half = problem.dtype == Dtype::f16;
    const auto terms = static_cast<double>(detail::shape_of(problem).terms());
    return {.metric = "scaled_error",
            .limit = 6.0 * std::sqrt(terms) * (half ? 0x1p-23 : 0x1p-24),
            .rms_limit = (half ? 16.0 : 4.0) * 0x1p-24};
  }

  bool rounds_products() const override { return true; }

  Cost cost(const Problem& problem) const override {
    const Shape z = detail::shape_of(problem);
    const std::uint64_t width = size_bytes(problem.dtype);
    return {.flops = z.flops(),
            .bytes_read = (z.n * z.c * z.h * z.w + z.k * z.terms()) * width,
            .bytes_written = z.pixels() * z.k * 4,
            .source =
                "2 n p q k c r s, the direct count, padding included (Chetlur et al., cuDNN, "
                "arXiv 1410.0759, section 2); x and the filter read once, y written once"};
  }

 private:
  static void add_tiled(const Shape& z, const ShapeConstants& shape, Step& step) {
    // Elements of shared memory for input and for filters (shaders/convolution/tiled.*).
    constexpr std::uint64_t kHalo = 4096;
    constexpr std::uint64_t kFilters = 2048;
    const std::uint64_t halo_h = (detail::kTileSide - 1) * z.stride + z.r;
    const std::uint64_t halo_w = (detail::kTileSide - 1) * z.stride + z.s;
    const std::uint64_t plane = halo_h * halo_w;
    // Eight f32 channels are a sector of memory where channels are neighbours.
    const std::uint64_t channels = std::min(
        {z.c, std::uint64_t{8}, kHalo / plane, kFilters / (detail::kTileChannels * z.taps())});
    const std::uint64_t tiles_q = ceil_div(z.q, detail::kTileSide);
    const std::uint64_t tiles_p = ceil_div(z.p, detail::kTileSide);
    const std::uint64_t tiles_k = ceil_div(z.k, detail::kTileChannels);
    step.groups = spread_groups(z.n * tiles_p * tiles_q * tiles_k);
    step.constants = as_constants(TiledConstants{
        .shape = shape,
        .step = u32(channels),
        .halo_w = u32(halo_w),
        .halo_plane = u32(plane),
        .tiles_q = u32(tiles_q),
        .tiles_p = u32(tiles_p),
        .tiles_k = u32(tiles_k),
        .by_halo = Divisor(z.nhwc ? channels : plane),
        .by_halo_w = Divisor(halo_w),
        .by_filter = Divisor(z.nhwc ? channels : channels * z.taps()),
        .by_taps = Divisor(z.taps()),
    });
  }

  static void add_gemm(const Shape& z, const ShapeConstants& shape, std::uint64_t vector,
                       Step& step) {
    const std::uint64_t tiles_k = ceil_div(z.k, detail::kGemmChannels);
    const std::uint64_t row = z.nhwc ? z.taps() * shape.filter_pitch : shape.filter_pitch;
    step.groups = spread_groups(ceil_div(z.pixels(), detail::kGemmPixels) * tiles_k);
    step.constants = as_constants(GemmConstants{
        .shape = shape,
        .pixels = u32(z.pixels()),
        .terms = u32(z.terms()),
        .row_vectors = u32(row / vector),
        .tiles_k = u32(tiles_k),
        .by_outer = Divisor(z.nhwc ? shape.x_pitch / vector : z.taps()),
        .by_s = Divisor(z.s),
    });
  }
};

Size explicit_size(std::initializer_list<std::uint64_t> values, std::string_view layout) {
  Size size;
  for (std::uint64_t value : values) {
    size.push_back(detail::number(detail::kDims[size.size()], value));
  }
  size.push_back(detail::layout_dim(layout));
  return size;
}

std::vector<Size> Convolution::sizes(Preset preset) const {
  std::vector<Size> sizes;
  const auto both = [&](std::string_view layer, std::uint64_t n) {
    for (std::string_view layout : {"nchw", "nhwc"}) {
      sizes.push_back(detail::named(layer, n, layout));
    }
  };
  switch (preset) {
    case Preset::quick:
      // n, c, h, w, k, r, s, stride, pad: no dimension is a multiple of a tile.
      sizes = {explicit_size({1, 3, 9, 11, 5, 3, 3, 1, 1}, "nchw"),
               explicit_size({2, 5, 17, 13, 9, 1, 1, 1, 0}, "nhwc"),
               explicit_size({1, 3, 33, 31, 9, 7, 7, 2, 3}, "nhwc"),
               explicit_size({2, 6, 21, 23, 10, 5, 5, 1, 2}, "nchw"),
               explicit_size({3, 17, 15, 14, 33, 3, 3, 2, 0}, "nhwc")};
      break;
    case Preset::ci:
      sizes = {explicit_size({2, 19, 45, 43, 35, 5, 5, 2, 2}, "nhwc"),
               explicit_size({2, 19, 45, 43, 35, 5, 5, 2, 2}, "nchw")};
      both("resnet50_res4_1x1", 1);
      both("resnet50_res3_3x3", 1);
      break;
    case Preset::standard:
      both("resnet50_res3_3x3", detail::kDefaultBatch);
      both("vgg16_conv3_2", detail::kDefaultBatch);
      break;
    case Preset::full:
      for (std::uint64_t n : {1, 8, 128}) both("resnet50_res3_3x3", n);
      for (const detail::Layer& layer : detail::kLayers) both(layer.name, detail::kDefaultBatch);
      break;
  }
  std::ranges::stable_sort(
      sizes, {}, [](const Size& size) { return detail::shape_of({.size = size}).flops(); });
  return sizes;
}

}  // namespace

const Workload& convolution() {
  static const Convolution workload;
  return workload;
}

}  // namespace parallax
