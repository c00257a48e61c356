#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <stdexcept>

#include "backends/device_code.hpp"
#include "harness/case_name.hpp"
#include "workloads/compare.hpp"
#include "workloads/half.hpp"
#include "workloads/inputs.hpp"
#include "workloads/workload.hpp"

namespace parallax {
namespace {

const Workload& convolution() {
  for (const Workload* workload : all_workloads()) {
    if (workload->name() == "convolution") return *workload;
  }
  throw std::logic_error("convolution is not registered");
}

constexpr std::string_view kLayouts[] = {"nchw", "nhwc"};

std::optional<Size> complete(std::string_view text) {
  return convolution().complete(std::get<Size>(parse_size(text)));
}

Problem problem(std::string_view text, Dtype dtype = Dtype::f32) {
  return {.dtype = dtype, .size = complete(text).value()};
}

/// n, c, h, w, k, r, s, stride, pad.
using Numbers = std::array<std::uint64_t, 9>;
Problem problem(const Numbers& numbers, std::string_view layout, Dtype dtype = Dtype::f32) {
  Problem result{.dtype = dtype, .size = {}};
  const auto names = convolution().dims();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    result.size.push_back({.name = names[i], .value = numbers[i]});
  }
  result.size.push_back({.name = "layout", .value = 0, .word = std::string(layout)});
  return result;
}

std::uint64_t out_dim(const Problem& p, std::string_view image, std::string_view filter) {
  return (p.dim(image) + 2 * p.dim("pad") - p.dim(filter)) / p.dim("stride") + 1;
}

/// Places the values [a][b][c][d] of a tensor in a buffer as the layout orders them; the rest, the
/// padding, holds a number that no result may depend on.
Bytes placed(const BufferSpec& spec, const std::vector<float>& values,
             const std::array<std::uint64_t, 4>& extents, bool channels_last) {
  std::vector<float> elements(spec.rows * spec.pitch, 1e6f);
  const auto [na, nb, nc, nd] = extents;
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    const std::uint64_t d = i % nd, c = i / nd % nc, b = i / (nd * nc) % nb, a = i / (nd * nc * nb);
    const std::uint64_t order = channels_last ? ((a * nc + c) * nd + d) * nb + b : i;
    elements[order / spec.columns * spec.pitch + order % spec.columns] = values[i];
  }
  Bytes bytes(elements.size() * sizeof(float));
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

struct Result {
  std::vector<double> values, scales;  ///< [n][k][p][q]
};

/// What expected() says of values given as [n][c][h][w] and [k][c][r][s].
Result expected(const Problem& p, const std::vector<float>& x, const std::vector<float>& filter) {
  const bool nhwc = p.word("layout") == "nhwc";
  const auto specs = convolution().buffers(p);
  const std::uint64_t n = p.dim("n"), k = p.dim("k");
  const std::uint64_t rows = out_dim(p, "h", "r"), columns = out_dim(p, "w", "s");
  const std::vector<Bytes> inputs = {
      placed(specs[0], x, {n, p.dim("c"), p.dim("h"), p.dim("w")}, nhwc),
      placed(specs[1], filter, {k, p.dim("c"), p.dim("r"), p.dim("s")}, nhwc)};
  const Reference reference = convolution().expected(p, Fill::random, inputs);
  EXPECT_EQ(reference.buffer, 2u);
  EXPECT_EQ(reference.dtype, Dtype::f64);
  std::vector<double> values(n * k * rows * columns);
  EXPECT_EQ(reference.values.size(), values.size() * sizeof(double));
  EXPECT_EQ(reference.scales.size(), values.size());
  std::memcpy(values.data(), reference.values.data(), reference.values.size());
  // Back from the order of the layout to that of the tensor.
  Result result{std::vector<double>(values.size()), std::vector<double>(values.size())};
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    std::uint64_t to = i;
    if (nhwc) {
      const std::uint64_t place = i / k % (rows * columns);
      to = (i / (k * rows * columns) * k + i % k) * rows * columns + place;
    }
    result.values[to] = values[i];
    result.scales[to] = reference.scales[i];
  }
  return result;
}

TEST(Convolution, SlidesTheFilterWithoutTurningItAndSumsOverChannels) {
  // Channel 0 counts up, channel 1 down. Filter 0 weighs both, filter 1 picks the pixel below right.
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 8, 7, 6, 5, 4, 3, 2, 1};
  const std::vector<float> filter = {1, 2, 3, 4, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, 0, 0};
  for (std::string_view layout : kLayouts) {
    const Result y = expected(problem({1, 2, 3, 3, 2, 2, 2, 1, 0}, layout), x, filter);
    // 1*1 + 2*2 + 4*3 + 5*4 = 37, and 9 - 5 = 4 everywhere.
    EXPECT_EQ(y.values, (std::vector<double>{41, 51, 71, 81, 5, 6, 8, 9})) << layout;
    EXPECT_EQ(y.scales[0], 37 + 9 + 5) << layout;
    EXPECT_EQ(y.scales[7], 9) << layout;
  }
}

TEST(Convolution, PadsWithZerosAndStepsByTheStride) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<float> ones(9, 1.0f);
  for (std::string_view layout : kLayouts) {
    const Result all = expected(problem({1, 1, 3, 3, 1, 3, 3, 1, 1}, layout), x, ones);
    EXPECT_EQ(all.values, (std::vector<double>{12, 21, 16, 27, 45, 33, 24, 39, 28})) << layout;
    const Result corners = expected(problem({1, 1, 3, 3, 1, 3, 3, 2, 1}, layout), x, ones);
    EXPECT_EQ(corners.values, (std::vector<double>{12, 16, 24, 28})) << layout;
    const Result picked = expected(problem({1, 1, 3, 3, 1, 1, 1, 2, 0}, layout), x, {2});
    EXPECT_EQ(picked.values, (std::vector<double>{2, 6, 14, 18})) << layout;
  }
}

TEST(Convolution, KeepsBatchesAndSidesApart) {
  // Two images of 2 x 3, a filter of 1 x 2.
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60};
  for (std::string_view layout : kLayouts) {
    const Result y = expected(problem({2, 1, 2, 3, 1, 1, 2, 1, 0}, layout), x, {1, -2});
    EXPECT_EQ(y.values, (std::vector<double>{-3, -4, -6, -7, -30, -40, -60, -70})) << layout;
  }
}

TEST(Convolution, ScalesAnOutputWithoutTermsSoThatOnlyZeroPasses) {
  const Problem p = problem({1, 1, 1, 1, 1, 1, 7, 1, 6}, "nchw");
  const Result y = expected(p, {3}, std::vector<float>(7, 1.0f));
  ASSERT_EQ(y.values.size(), 13u * 7u);
  EXPECT_EQ(y.values[0], 0.0);
  EXPECT_GT(y.scales[0], 0.0);
  EXPECT_GT(0x1p-149 / y.scales[0], convolution().tolerance(p).limit);
  EXPECT_EQ(y.values[6 * 7], 3.0);
  EXPECT_EQ(y.scales[6 * 7], 3.0);
}

TEST(Convolution, CompletesASizeThatIsSpeltOut) {
  const std::string full = "n=1,c=2,h=9,w=8,k=3,r=3,s=3,stride=1,pad=0,layout=nchw";
  EXPECT_EQ(format_size(*complete("n=1,c=2,h=9,w=8,k=3,r=3,s=3")), full);
  EXPECT_EQ(format_size(*complete("n=1,c=2,h=9,w=8,k=3,r=3,s=3,stride=1")), full);
  EXPECT_EQ(format_size(*complete("n=1,c=2,h=9,w=8,k=3,r=3,s=3,stride=1,pad=0")), full);
  EXPECT_EQ(format_size(*complete(full)), full);
  const std::string other = "n=1,c=2,h=9,w=8,k=3,r=3,s=3,stride=2,pad=1,layout=nhwc";
  EXPECT_EQ(format_size(*complete(other)), other);
  const Size size = complete("n=1,c=2,h=9,w=8,k=3,r=3,s=3").value();
  for (const Dim& dim : size) EXPECT_FALSE(dim.implied);
}

TEST(Convolution, CompletesANamedSize) {
  for (std::string_view text :
       {"resnet50_res3_proj", "resnet50_res3_proj,n=32", "resnet50_res3_proj,layout=nchw",
        "resnet50_res3_proj,n=32,layout=nchw", "resnet50_res3_proj,layout=nchw,n=32"}) {
    const auto size = complete(text);
    ASSERT_TRUE(size.has_value()) << text;
    EXPECT_EQ(format_size(*size), "resnet50_res3_proj,n=32,layout=nchw") << text;
    EXPECT_EQ(convolution().complete(*size), size) << text;
  }
  const Problem p = problem("resnet50_res3_proj,n=3,layout=nhwc");
  EXPECT_EQ(format_size(p.size), "resnet50_res3_proj,n=3,layout=nhwc");
  EXPECT_EQ(p.dim("n"), 3u);
  EXPECT_EQ(p.dim("c"), 256u);
  EXPECT_EQ(p.dim("h"), 56u);
  EXPECT_EQ(p.dim("w"), 56u);
  EXPECT_EQ(p.dim("k"), 512u);
  EXPECT_EQ(p.dim("r"), 1u);
  EXPECT_EQ(p.dim("s"), 1u);
  EXPECT_EQ(p.dim("stride"), 2u);
  EXPECT_EQ(p.dim("pad"), 0u);
  EXPECT_EQ(p.word("layout"), "nhwc");
  for (std::size_t i = 0; i < p.size.size(); ++i) EXPECT_EQ(p.size[i].implied, i >= 3) << i;
}

TEST(Convolution, RefusesOtherDimensions) {
  for (std::string_view text :
       {"n=5", "m=1,n=1,k=1", "n=1,c=2,h=9,w=8,k=3,r=3", "c=1,n=2,h=9,w=8,k=3,r=3,s=3",
        "n=1,c=2,h=9,w=8,k=3,r=3,s=3,pad=1", "n=1,c=2,h=9,w=8,k=3,r=3,s=3,stride=1,pad=0,layout=1",
        "n=1,c=2,h=9,w=8,k=3,r=3,s=three", "resnet50", "resnet50_res3_3x3,c=4",
        "resnet50_res3_3x3,n=nchw", "resnet50_res3_3x3,layout=2",
        "n=1,c=2,h=9,w=8,k=3,r=3,s=3,stride=1,pad=0,layout=nchw,groups=2"}) {
    EXPECT_FALSE(complete(text).has_value()) << text;
  }
  EXPECT_FALSE(convolution().complete({}).has_value());
  const Dim layer{.name = "", .value = 0, .word = "resnet50_res3_3x3"};
  EXPECT_FALSE(convolution().complete({layer, {"n", 1}, {"n", 2}}).has_value());
  Size wrong = complete("resnet50_res3_3x3").value();
  wrong.back().value = 2;
  EXPECT_FALSE(convolution().complete(wrong).has_value()) << "not what the name implies";
}

TEST(Convolution, NamesTheDimensionItsValueAndWhatIsValid) {
  const auto error = [](const Numbers& numbers, std::string_view layout = "nchw") {
    return convolution().size_error(problem(numbers, layout).size).value_or("none");
  };
  EXPECT_EQ(error({1, 1, 1, 1, 1, 1, 1, 1, 0}), "none");
  EXPECT_EQ(error({1, 1, 1, 1, 1, 7, 7, 2, 6}), "none");
  EXPECT_EQ(error({0, 1, 1, 1, 1, 1, 1, 1, 0}), "n=0 is out of range; valid: 1 to 4286578687");
  EXPECT_EQ(error({1, 1, 1, 1, 0, 1, 1, 1, 0}), "k=0 is out of range; valid: 1 to 4286578687");
  EXPECT_EQ(error({1, 1, 9, 9, 1, 8, 1, 1, 0}), "r=8 is out of range; valid: 1 to 7");
  EXPECT_EQ(error({1, 1, 9, 9, 1, 1, 0, 1, 0}), "s=0 is out of range; valid: 1 to 7");
  EXPECT_EQ(error({1, 1, 9, 9, 1, 3, 3, 3, 0}), "stride=3 is out of range; valid: 1 to 2");
  EXPECT_EQ(error({1, 1, 9, 9, 1, 3, 1, 1, 3}),
            "pad=3 is out of range; valid: 0 to 2, less than the filter's larger side");
  EXPECT_EQ(error({1, 1, 2, 9, 1, 5, 3, 1, 1}),
            "r=5 does not fit the padded image; valid: 1 to h+2*pad = 4");
  EXPECT_EQ(error({1, 1, 9, 2, 1, 3, 3, 1, 0}),
            "s=3 does not fit the padded image; valid: 1 to w+2*pad = 2");
  EXPECT_EQ(error({1, 1, 9, 9, 1, 3, 3, 1, 0}, "chwn"),
            "layout=chwn is unknown; valid: nchw, nhwc");
  EXPECT_EQ(error({1, 1u << 20, 9, 9, 1, 3, 3, 1, 0}),
            "c=1048576 makes c*r*s = 9437184; valid: c*r*s up to 4194304");
  const std::uint64_t huge = std::uint64_t{1} << 31;
  for (std::string_view layout : kLayouts) {
    EXPECT_NE(error({huge, 1, huge, huge, 1, 1, 1, 1, 0}, layout)
                  .find("n=2147483648 makes x too large; valid: fewer than 4286578688"),
              std::string::npos);
    EXPECT_NE(
        error({1, 1 << 16, 1, 1, 1 << 16, 1, 1, 1, 0}, layout).find("k=65536 makes the filter"),
        std::string::npos);
    EXPECT_NE(error({1 << 16, 1, 64, 64, 64, 1, 1, 1, 0}, layout).find("n=65536 makes "),
              std::string::npos);
  }
}

TEST(Convolution, CountsTheWorkOfTheGuidesLayers) {
  const std::vector<std::pair<std::string, double>> layers = {
      {"resnet50_conv1", 0.2360},     {"resnet50_res2_3x3", 0.2312},
      {"resnet50_res3_3x3", 0.2312},  {"resnet50_res4_3x3", 0.2312},
      {"resnet50_res5_3x3", 0.2312},  {"resnet50_res2_1x1", 0.1028},
      {"resnet50_res4_1x1", 0.1028},  {"resnet50_res3_proj", 0.2055},
      {"resnet50_res4_proj", 0.2055}, {"resnet50_res5_proj", 0.2055},
      {"vgg16_conv2_1", 1.850},       {"vgg16_conv3_1", 1.850},
      {"vgg16_conv3_2", 3.6994},      {"vgg16_conv4_1", 1.850},
      {"wide_112_3x3", 29.595}};
  EXPECT_EQ(convolution().named_sizes().size(), layers.size());
  for (const auto& [name, gflop] : layers) {
    EXPECT_EQ(std::ranges::count(convolution().named_sizes(), name), 1) << name;
    for (std::string_view layout : kLayouts) {
      const std::string size = name + ",n=1,layout=" + std::string(layout);
      const auto flops = static_cast<double>(convolution().cost(problem(size)).flops);
      EXPECT_NEAR(flops / 1e9, gflop, gflop < 1 ? 0.51e-4 : 0.51e-3) << size;
      EXPECT_EQ(convolution().size_error(problem(size).size), std::nullopt) << size;
    }
  }
  EXPECT_EQ(convolution().cost(problem("resnet50_res3_3x3")).flops,
            2ull * 32 * 28 * 28 * 128 * 1152);
}

TEST(Convolution, CountsCompulsoryBytesWithoutPadding) {
  for (std::string_view layout : kLayouts) {
    const Cost f32 = convolution().cost(problem({2, 3, 5, 7, 4, 3, 3, 2, 1}, layout));
    EXPECT_EQ(f32.flops, 2u * 2 * 3 * 4 * 4 * 27);
    EXPECT_EQ(f32.bytes_read, (2u * 3 * 5 * 7 + 4 * 27) * 4);
    EXPECT_EQ(f32.bytes_written, 2u * 4 * 3 * 4 * 4);
    EXPECT_FALSE(f32.source.empty());
    const Cost f16 = convolution().cost(problem({2, 3, 5, 7, 4, 3, 3, 2, 1}, layout, Dtype::f16));
    EXPECT_EQ(f16.bytes_read, f32.bytes_read / 2);
    EXPECT_EQ(f16.bytes_written, f32.bytes_written);
  }
}

TEST(Convolution, StoresRowsPaddedToSixteenBytes) {
  const Numbers numbers = {2, 3, 5, 7, 9, 3, 1, 1, 1};
  struct Expected {
    std::uint64_t rows, columns, pitch;
  };
  const auto check = [&](std::string_view layout, Dtype dtype,
                         const std::vector<Expected>& expected) {
    const auto specs = convolution().buffers(problem(numbers, layout, dtype));
    ASSERT_EQ(specs.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(specs[i].rows, expected[i].rows) << layout << specs[i].name;
      EXPECT_EQ(specs[i].columns, expected[i].columns) << layout << specs[i].name;
      EXPECT_EQ(specs[i].pitch, expected[i].pitch) << layout << specs[i].name;
      EXPECT_EQ(specs[i].role, i == 2 ? Role::out : Role::in);
      EXPECT_EQ(specs[i].dtype, i == 2 ? Dtype::f32 : dtype);
      EXPECT_FALSE(specs[i].free_padding);
    }
  };
  // Output: 5 x 9 pixels.
  check("nchw", Dtype::f32, {{2 * 3 * 5, 7, 8}, {9, 9, 12}, {2 * 9 * 5, 9, 12}});
  check("nhwc", Dtype::f32, {{2 * 5 * 7, 3, 4}, {9 * 3, 3, 4}, {2 * 5 * 9, 9, 12}});
  check("nchw", Dtype::f16, {{2 * 3 * 5, 7, 8}, {9, 9, 16}, {2 * 9 * 5, 9, 12}});
  check("nhwc", Dtype::f16, {{2 * 5 * 7, 3, 8}, {9 * 3, 3, 8}, {2 * 5 * 9, 9, 12}});
}

TEST(Convolution, ToleratesWhatTheModelSays) {
  const Tolerance f32 = convolution().tolerance(problem("resnet50_res4_3x3"));
  EXPECT_EQ(f32.metric, "scaled_error");
  EXPECT_DOUBLE_EQ(f32.limit, 6 * 48 * 0x1p-24);  // sqrt(2304) = 48
  EXPECT_DOUBLE_EQ(f32.rms_limit, 0x1p-22);
  const Tolerance f16 = convolution().tolerance(problem("resnet50_res4_3x3", Dtype::f16));
  EXPECT_DOUBLE_EQ(f16.limit, 6 * 48 * 0x1p-23);
  EXPECT_DOUBLE_EQ(f16.rms_limit, 0x1p-20);
  const Tolerance one = convolution().tolerance(problem({1, 1, 1, 1, 1, 1, 1, 1, 0}, "nchw"));
  EXPECT_GE(one.limit, 0x1p-24);
  EXPECT_GE(one.rms_limit, 0x1p-24);
}

TEST(Convolution, GivesWholeNumbersAsFloatsForTheIntegerFill) {
  const Problem p = problem({2, 5, 6, 7, 9, 3, 3, 1, 1}, "nhwc");
  const auto specs = convolution().buffers(p);
  const Reference r =
      convolution().expected(p, Fill::integers, make_inputs(specs, Fill::integers, 1));
  EXPECT_EQ(r.dtype, Dtype::f32);
  EXPECT_TRUE(r.scales.empty());
  EXPECT_EQ(r.values.size(), specs[2].count() * sizeof(float));
  for (std::uint64_t i = 0; i < specs[2].count(); ++i) {
    float value = 0;
    std::memcpy(&value, r.values.data() + 4 * i, 4);
    EXPECT_EQ(value, std::round(value));
  }
}

/// Which tiles of a variant hold an element of the ranges, as (image, tile of p, of q, of k) for
/// `tiled` and (tile of pixels, of k) for `implicit_gemm`.
struct Touched {
  std::set<std::array<std::uint64_t, 4>> tiled;
  std::set<std::array<std::uint64_t, 2>> gemm;
};

Touched touched(const Problem& p, const BufferSpec& y, const std::vector<Range>& ranges) {
  const bool nhwc = p.word("layout") == "nhwc";
  const std::uint64_t rows = out_dim(p, "h", "r"), columns = out_dim(p, "w", "s");
  Touched result;
  for (const Range& range : ranges) {
    const std::uint64_t row = range.first / y.pitch;
    EXPECT_EQ(range.first % y.pitch, 0u);
    EXPECT_EQ(range.count, y.columns);
    for (std::uint64_t i = 0; i < y.columns; ++i) {
      const std::uint64_t k = nhwc ? i : row / rows % p.dim("k");
      const std::uint64_t q = nhwc ? row % columns : i;
      const std::uint64_t line =
          nhwc ? row / columns : row / (rows * p.dim("k")) * rows + row % rows;
      result.tiled.insert({line / rows, line % rows / 16, q / 16, k / 8});
      result.gemm.insert({(line * columns + q) / 128, k / 64});
    }
  }
  return result;
}

/// Ranges that are checked of a problem whose inputs nobody needs to fill.
std::vector<Range> ranges_of(const Problem& p) {
  const auto specs = convolution().buffers(p);
  const std::vector<Bytes> inputs = {Bytes(specs[0].size_bytes()), Bytes(specs[1].size_bytes())};
  return convolution().expected(p, Fill::integers, inputs).ranges;
}

TEST(Convolution, ChecksSmallProblemsInFull) {
  for (std::string_view layout : kLayouts) {
    const Problem p = problem({3, 8, 40, 41, 70, 3, 3, 1, 1}, layout);
    const BufferSpec y = convolution().buffers(p)[2];
    EXPECT_EQ(ranges_of(p).size(), y.rows);
  }
}

TEST(Convolution, SamplesEveryTileOfLargeProblemsAndNoMoreThanNeeded) {
  for (const Numbers& numbers : std::vector<Numbers>{{32, 128, 28, 28, 128, 3, 3, 1, 1},
                                                     {32, 512, 7, 7, 512, 3, 3, 1, 1},
                                                     {32, 256, 14, 14, 1024, 1, 1, 1, 0},
                                                     {4, 3, 224, 224, 64, 7, 7, 2, 3},
                                                     {1, 64, 100, 600, 72, 3, 3, 1, 1},
                                                     {1, 160, 300, 301, 9, 3, 3, 1, 0},
                                                     {50, 300, 13, 37, 65, 3, 3, 2, 1}}) {
    for (std::string_view layout : kLayouts) {
      const Problem p = problem(numbers, layout);
      SCOPED_TRACE(format_size(p.size));
      const std::uint64_t rows = out_dim(p, "h", "r"), columns = out_dim(p, "w", "s");
      const std::uint64_t n = p.dim("n"), k = p.dim("k");
      const BufferSpec y = convolution().buffers(p)[2];
      const std::vector<Range> ranges = ranges_of(p);
      ASSERT_LT(ranges.size(), y.rows);
      // Lines of an image longer than a tile of 128 pixels are all needed, of one channel each.
      EXPECT_LE(ranges.size() * (k < 32 ? k : 32), y.rows);
      EXPECT_EQ(std::ranges::adjacent_find(ranges, std::ranges::greater_equal{}, &Range::first),
                ranges.end());
      EXPECT_EQ(ranges.back().first, (y.rows - 1) * y.pitch) << "the last row";
      const Touched found = touched(p, y, ranges);
      EXPECT_EQ(found.tiled.size(), n * ((rows + 15) / 16) * ((columns + 15) / 16) * ((k + 7) / 8));
      EXPECT_EQ(found.gemm.size(), (n * rows * columns + 127) / 128 * ((k + 63) / 64));
    }
  }
}

TEST(Convolution, SamplesEveryPlaceOfATileSomewhere) {
  const Problem nchw = problem("resnet50_res2_3x3,n=16,layout=nchw");
  std::set<std::uint64_t> channels, lines;
  for (const Range& range : ranges_of(nchw)) {
    const std::uint64_t row = range.first / 56;
    lines.insert(row % 56);
    channels.insert(row / 56 % 64);
  }
  EXPECT_EQ(lines.size(), 56u);
  EXPECT_EQ(channels.size(), 64u);
  const Problem nhwc = problem("resnet50_res2_3x3,n=32,layout=nhwc");
  std::set<std::uint64_t> places;
  for (const Range& range : ranges_of(nhwc)) {
    const std::uint64_t pixel = range.first / 64 % (56 * 56);
    places.insert(pixel / 56 % 16 * 16 + pixel % 56 % 16);
  }
  EXPECT_EQ(places.size(), 256u);
}

TEST(Convolution, OffersSizesThatCompleteToThemselves) {
  for (Preset preset : {Preset::quick, Preset::ci, Preset::standard, Preset::full}) {
    const std::vector<Size> sizes = convolution().sizes(preset);
    for (const Size& size : sizes) {
      EXPECT_EQ(convolution().complete(size), size) << format_size(size);
      EXPECT_EQ(convolution().size_error(size), std::nullopt) << format_size(size);
    }
    const auto flops = [](const Size& s) { return convolution().cost({.size = s}).flops; };
    EXPECT_TRUE(std::ranges::is_sorted(sizes, {}, flops));
  }
  EXPECT_EQ(convolution().sizes(Preset::standard).size(), 4u);
  EXPECT_EQ(convolution().sizes(Preset::full).size(), 36u);
}

TEST(Convolution, QuickSizesAreSmallAndCoverFiltersStridesAndLayouts) {
  std::set<std::uint64_t> filters, strides, pads;
  std::set<std::string> layouts;
  for (const Size& size : convolution().sizes(Preset::quick)) {
    const Problem p{.dtype = Dtype::f32, .size = size};
    EXPECT_LE(convolution().cost(p).flops, 20'000'000u);
    filters.insert(p.dim("r"));
    strides.insert(p.dim("stride"));
    pads.insert(p.dim("pad"));
    layouts.insert(p.word("layout"));
  }
  EXPECT_EQ(filters, (std::set<std::uint64_t>{1, 3, 5, 7}));
  EXPECT_EQ(strides, (std::set<std::uint64_t>{1, 2}));
  EXPECT_EQ(pads, (std::set<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(layouts.size(), 2u);
}

TEST(Convolution, LaunchesOneKernelPerLayoutWithGroupsThatEveryApiAllows) {
  for (const Size& size : convolution().sizes(Preset::full)) {
    const Problem p{.dtype = Dtype::f16, .size = size};
    for (const Variant& variant : convolution().variants()) {
      const auto steps = convolution().steps(p, variant.name);
      ASSERT_EQ(steps.size(), 1u);
      EXPECT_EQ(steps[0].kernel, "convolution/" + variant.name + "_" + p.word("layout") + "/f16");
      EXPECT_EQ(steps[0].group_size, (Extent3{256, 1, 1}));
      EXPECT_LE(steps[0].groups.x, 65535u);
      EXPECT_LE(steps[0].groups.y, 65535u);
      EXPECT_EQ(steps[0].buffers, (std::vector<std::uint32_t>{0, 1, 2}));
    }
  }
  const auto groups = [](std::string_view variant) {
    return convolution().steps(problem("resnet50_res3_3x3,layout=nhwc"), variant)[0].groups.count();
  };
  EXPECT_EQ(groups("direct"), 25088u * 128 / 256);
  EXPECT_EQ(groups("tiled"), 32u * 2 * 2 * 16);
  EXPECT_EQ(groups("implicit_gemm"), 392u);
}

/// Runs a variant on the host, group by group.
Bytes run_on_host(const Problem& p, std::string_view variant, std::vector<Bytes> inputs) {
  const auto specs = convolution().buffers(p);
  Bytes y(specs[2].size_bytes());
  std::memset(y.data(), 0xff, y.size());
  for (const Step& step : convolution().steps(p, variant)) {
    const HostKernel kernel = find_host_kernel(step.kernel);
    EXPECT_NE(kernel, nullptr) << step.kernel;
    std::byte* const buffers[] = {inputs[0].data(), inputs[1].data(), y.data()};
    for (std::uint32_t gy = 0; gy < step.groups.y; ++gy) {
      for (std::uint32_t gx = 0; gx < step.groups.x; ++gx) {
        kernel({.group = {gx, gy, 0},
                .groups = step.groups,
                .group_size = step.group_size,
                .buffers = buffers,
                .constants = step.constants});
      }
    }
  }
  return y;
}

void check_on_host(const Problem& p) {
  const auto specs = convolution().buffers(p);
  for (Fill fill : {Fill::random, Fill::integers}) {
    const std::vector<Bytes> inputs = make_inputs(specs, fill, 1);
    const Reference reference = convolution().expected(p, fill, inputs);
    const Tolerance tolerance =
        fill == Fill::random ? convolution().tolerance(p) : Tolerance{.metric = "bitwise"};
    for (const Variant& variant : convolution().variants()) {
      SCOPED_TRACE(format_size(p.size) + "/" + variant.name);
      const Bytes y = run_on_host(p, variant.name, inputs);
      const Verdict verdict = compare(reference, tolerance, Dtype::f32, y);
      EXPECT_TRUE(verdict.ok) << verdict.detail;
      EXPECT_EQ(verdict.checked, specs[2].count());
      for (std::uint64_t row = 0; row < specs[2].rows; ++row) {
        for (std::uint64_t i = specs[2].columns; i < specs[2].pitch; ++i) {
          std::uint32_t word = 0;
          std::memcpy(&word, y.data() + (row * specs[2].pitch + i) * 4, sizeof word);
          ASSERT_EQ(word, 0xffffffffu) << "padding of row " << row << " was written";
        }
      }
    }
  }
}

TEST(Convolution, HostKernelsComputeWhatIsExpectedOnOddShapes) {
  for (const Numbers& numbers :
       std::vector<Numbers>{{1, 1, 1, 1, 1, 1, 1, 1, 0},     {1, 1, 1, 1, 1, 7, 7, 2, 6},
                            {1, 1, 1, 1, 1, 1, 7, 1, 6},     {3, 2, 5, 1, 1, 1, 1, 2, 0},
                            {1, 4, 16, 16, 8, 3, 3, 1, 1},   {1, 5, 17, 15, 9, 3, 3, 1, 1},
                            {2, 9, 33, 18, 7, 3, 3, 2, 1},   {1, 33, 8, 9, 65, 1, 1, 1, 0},
                            {5, 16, 6, 5, 64, 1, 1, 2, 0},   {2, 7, 12, 40, 5, 5, 5, 1, 2},
                            {1, 17, 20, 19, 11, 5, 5, 2, 0}, {1, 3, 38, 37, 10, 7, 7, 2, 3},
                            {2, 6, 23, 24, 12, 7, 7, 1, 3},  {1, 8, 9, 35, 13, 1, 7, 1, 2},
                            {1, 8, 35, 9, 13, 7, 1, 2, 4},   {129, 3, 3, 3, 3, 3, 3, 1, 1},
                            {1, 12, 11, 13, 66, 2, 4, 1, 1}, {4, 15, 7, 7, 67, 3, 3, 1, 1},
                            {1, 64, 4, 4, 17, 3, 3, 1, 0},   {7, 1, 17, 33, 2, 6, 5, 2, 5},
                            {1, 130, 5, 6, 4, 2, 2, 1, 1}}) {
    for (std::string_view layout : kLayouts) {
      for (Dtype dtype : convolution().dtypes()) {
        const Problem p = problem(numbers, layout, dtype);
        ASSERT_EQ(convolution().size_error(p.size), std::nullopt);
        check_on_host(p);
      }
    }
  }
}

TEST(Convolution, HostKernelsGuardTheGroupsOfAnUnfilledLastRow) {
  // One tile of `tiled` more than a row of groups holds.
  for (std::string_view layout : kLayouts) {
    check_on_host(problem({32769, 1, 1, 1, 1, 1, 1, 1, 0}, layout));
  }
}

}  // namespace
}  // namespace parallax
