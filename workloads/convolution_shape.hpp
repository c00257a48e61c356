/// Dimensions of a convolution, the layers that have a name, and which sizes are valid.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "workloads/workload.hpp"

namespace parallax::convolution_detail {

/// Numbers of a size, in elements. Output is k channels of p x q.
struct Shape {
  std::uint64_t n, c, h, w, k, r, s, stride, pad, p, q;
  bool nhwc;
  /// Places of the filter.
  [[nodiscard]] std::uint64_t taps() const { return r * s; }
  /// Products that make one output.
  [[nodiscard]] std::uint64_t terms() const { return c * taps(); }
  [[nodiscard]] std::uint64_t pixels() const { return n * p * q; }
  [[nodiscard]] std::uint64_t flops() const { return 2 * pixels() * k * terms(); }
};

/// A layer of a network. Units: elements; filters are square.
struct Layer {
  std::string_view name;
  std::uint64_t image, c, k, filter, stride, pad;
};

/// ResNet-50 (He et al., CVPR 2016; stage numbers as in its table 1), VGG-16 (Simonyan and
/// Zisserman, ICLR 2015) and one wide layer.
inline constexpr Layer kLayers[] = {
    {"resnet50_conv1", 224, 3, 64, 7, 2, 3},       {"resnet50_res2_1x1", 56, 64, 256, 1, 1, 0},
    {"resnet50_res2_3x3", 56, 64, 64, 3, 1, 1},    {"resnet50_res3_3x3", 28, 128, 128, 3, 1, 1},
    {"resnet50_res3_proj", 56, 256, 512, 1, 2, 0}, {"resnet50_res4_1x1", 14, 256, 1024, 1, 1, 0},
    {"resnet50_res4_3x3", 14, 256, 256, 3, 1, 1},  {"resnet50_res4_proj", 28, 512, 1024, 1, 2, 0},
    {"resnet50_res5_3x3", 7, 512, 512, 3, 1, 1},   {"resnet50_res5_proj", 14, 1024, 2048, 1, 2, 0},
    {"vgg16_conv2_1", 112, 64, 128, 3, 1, 1},      {"vgg16_conv3_1", 56, 128, 256, 3, 1, 1},
    {"vgg16_conv3_2", 56, 256, 256, 3, 1, 1},      {"vgg16_conv4_1", 28, 256, 512, 3, 1, 1},
    {"wide_112_3x3", 112, 256, 512, 3, 1, 1},
};

inline constexpr std::array<std::string_view, 10> kDims = {"n", "c", "h",      "w",   "k",
                                                           "r", "s", "stride", "pad", "layout"};
/// Dimensions from here on have a default.
inline constexpr std::size_t kRequired = 7;
inline constexpr std::uint64_t kDefaultBatch = 32;

inline Dim number(std::string_view name, std::uint64_t value, bool implied = false) {
  return {.name = std::string(name), .value = value, .word = {}, .implied = implied};
}
inline Dim layout_dim(std::string_view word) {
  return {.name = "layout", .value = 0, .word = std::string(word)};
}

inline Size named(std::string_view layer, std::uint64_t n, std::string_view layout) {
  const Layer& l = *std::ranges::find(kLayers, layer, &Layer::name);
  return {{.name = "", .value = 0, .word = std::string(layer)},
          number("n", n),
          layout_dim(layout),
          number("c", l.c, true),
          number("h", l.image, true),
          number("w", l.image, true),
          number("k", l.k, true),
          number("r", l.filter, true),
          number("s", l.filter, true),
          number("stride", l.stride, true),
          number("pad", l.pad, true)};
}

/// A layer's name, then a batch and a layout where they differ from the default.
inline std::optional<Size> complete_named(const Size& size) {
  const std::string& layer = size.front().word;
  if (std::ranges::find(kLayers, layer, &Layer::name) == std::end(kLayers)) return std::nullopt;
  std::optional<std::uint64_t> n;
  std::optional<std::string> layout;
  bool complete = false;
  for (const Dim& dim : std::span(size).subspan(1)) {
    if (dim.implied) {
      complete = true;
    } else if (dim.name == "n" && dim.word.empty() && !n) {
      n = dim.value;
    } else if (dim.name == "layout" && !dim.word.empty() && !layout) {
      layout = dim.word;
    } else {
      return std::nullopt;
    }
  }
  Size result = named(layer, n.value_or(kDefaultBatch), layout.value_or("nchw"));
  if (complete && result != size) return std::nullopt;
  return result;
}

/// Every dimension in order; those with a default may be missing at the end.
inline std::optional<Size> complete_explicit(const Size& size) {
  if (size.size() < kRequired || size.size() > kDims.size()) return std::nullopt;
  for (std::size_t i = 0; i < size.size(); ++i) {
    const bool is_word = !size[i].word.empty();
    if (size[i].name != kDims[i] || is_word != (kDims[i] == "layout")) return std::nullopt;
  }
  Size result = size;
  if (result.size() == kRequired) result.push_back(number("stride", 1));
  if (result.size() == kRequired + 1) result.push_back(number("pad", 0));
  if (result.size() == kRequired + 2) result.push_back(layout_dim("nchw"));
  return result;
}

inline Shape shape_of(const Problem& problem) {
  const auto dim = [&](std::string_view name) { return problem.dim(name); };
  Shape shape{.n = dim("n"),
              .c = dim("c"),
              .h = dim("h"),
              .w = dim("w"),
              .k = dim("k"),
              .r = dim("r"),
              .s = dim("s"),
              .stride = dim("stride"),
              .pad = dim("pad"),
              .p = 0,
              .q = 0,
              .nhwc = problem.word("layout") == "nhwc"};
  shape.p = (shape.h + 2 * shape.pad - shape.r) / shape.stride + 1;
  shape.q = (shape.w + 2 * shape.pad - shape.s) / shape.stride + 1;
  return shape;
}

/// Product that stops at the largest number, so that no size can wrap to a small one.
inline std::uint64_t product(std::initializer_list<std::uint64_t> factors) {
  std::uint64_t result = 1;
  for (std::uint64_t factor : factors) {
    if (__builtin_mul_overflow(result, factor, &result)) return UINT64_MAX;
  }
  return result;
}

/// Kernels count elements and lanes in 32 bits; the last row of groups may hold 2^15 groups of
/// 2^8 lanes too many.
inline constexpr std::uint64_t kMaxElements = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 23);
/// Sums of this many products of the integer fill, at most 4 each, are exact in f32. The kernels'
/// divisions without a divide need no more than 2^31.
inline constexpr std::uint64_t kMaxTerms = std::uint64_t{1} << 22;

/// What is wrong with a number by itself.
inline std::optional<std::string> range_error(const Problem& problem) {
  const auto outside = [&](std::string_view name, std::uint64_t least, std::uint64_t most) {
    const std::uint64_t value = problem.dim(name);
    std::optional<std::string> error;
    if (value < least || value > most) {
      error = fmt::format("{}={} is out of range; valid: {} to {}", name, value, least, most);
    }
    return error;
  };
  for (std::string_view name : {"n", "c", "h", "w", "k"}) {
    if (auto error = outside(name, 1, kMaxElements - 1)) return error;
  }
  for (std::string_view name : {"r", "s"}) {
    if (auto error = outside(name, 1, 7)) return error;
  }
  if (auto error = outside("stride", 1, 2)) return error;
  const std::uint64_t filter = std::max(problem.dim("r"), problem.dim("s"));
  if (auto error = outside("pad", 0, filter - 1)) {
    return *error + ", less than the filter's larger side";
  }
  const std::string& layout = problem.word("layout");
  if (layout == "nchw" || layout == "nhwc") return std::nullopt;
  return fmt::format("layout={} is unknown; valid: nchw, nhwc", layout);
}

inline std::optional<std::string> find_size_error(const Problem& problem) {
  if (auto error = range_error(problem)) return error;
  for (const auto& [image, filter] : {std::pair("h", "r"), std::pair("w", "s")}) {
    const std::uint64_t padded = problem.dim(image) + 2 * problem.dim("pad");
    if (problem.dim(filter) <= padded) continue;
    return fmt::format("{}={} does not fit the padded image; valid: 1 to {}+2*pad = {}", filter,
                       problem.dim(filter), image, padded);
  }
  const Shape z = shape_of(problem);
  if (product({z.c, z.taps()}) > kMaxTerms) {
    return fmt::format("c={} makes c*r*s = {}; valid: c*r*s up to {}", z.c,
                       product({z.c, z.taps()}), kMaxTerms);
  }
  // Rows padded for the dtype that pads most.
  const auto pitch = [](std::uint64_t columns) { return padded_pitch(columns, Dtype::f16); };
  const std::uint64_t x =
      z.nhwc ? product({z.n, z.h, z.w, pitch(z.c)}) : product({z.n, z.c, z.h, pitch(z.w)});
  const std::uint64_t filter =
      z.nhwc ? product({z.k, z.taps(), pitch(z.c)}) : product({z.k, pitch(z.terms())});
  const std::uint64_t y =
      z.nhwc ? product({z.n, z.p, z.q, pitch(z.k)}) : product({z.n, z.k, z.p, pitch(z.q)});
  const auto too_large = [](std::string_view dim, std::uint64_t value, std::string_view buffer) {
    return fmt::format("{}={} makes {} too large; valid: fewer than {} elements, padding counted",
                       dim, value, buffer, kMaxElements);
  };
  if (x >= kMaxElements) return too_large("n", z.n, "x");
  if (filter >= kMaxElements) return too_large("k", z.k, "the filter");
  if (y >= kMaxElements) return too_large("n", z.n, "y");
  return std::nullopt;
}

}  // namespace parallax::convolution_detail
