#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
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

using ::testing::HasSubstr;

constexpr std::uint64_t kMostElements = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 23);

const Workload& gemm() {
  for (const Workload* workload : all_workloads()) {
    if (workload->name() == "gemm") return *workload;
  }
  throw std::logic_error("gemm is not registered");
}

Size size_of(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  return {{"m", m}, {"n", n}, {"k", k}};
}

Problem problem(Dtype dtype, std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  return {.dtype = dtype, .size = size_of(m, n, k)};
}

template <typename T>
std::vector<T> values_of(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// Puts the rows of a matrix where its buffer has them. The padding is all ones: NaN, or -1 in
/// integers, so that a result which depends on it shows.
template <typename T>
Bytes placed(const BufferSpec& spec, const std::vector<T>& values) {
  EXPECT_EQ(values.size(), spec.count());
  Bytes bytes(spec.size_bytes());
  std::ranges::fill(bytes, std::byte{0xff});
  for (std::uint64_t row = 0; row < spec.rows; ++row) {
    std::memcpy(bytes.data() + row * spec.pitch * sizeof(T), &values[row * spec.columns],
                spec.columns * sizeof(T));
  }
  return bytes;
}

/// What expected() says of a (m x k) and b (k x n).
template <typename T>
Reference expected(const Problem& p, Fill fill, const std::vector<T>& a, const std::vector<T>& b) {
  const auto specs = gemm().buffers(p);
  const std::uint64_t k = p.dim("k"), n = p.dim("n");
  std::vector<T> stored = b;
  if (p.dtype == Dtype::i8) {
    for (std::uint64_t i = 0; i < k; ++i) {
      for (std::uint64_t j = 0; j < n; ++j) stored[j * k + i] = b[i * n + j];
    }
  }
  const Reference reference =
      gemm().expected(p, fill, std::vector<Bytes>{placed(specs[0], a), placed(specs[1], stored)});
  EXPECT_EQ(reference.buffer, 2u);
  EXPECT_EQ(reference.ranges.size(), p.dim("m"));
  for (std::uint64_t row = 0; row < reference.ranges.size(); ++row) {
    EXPECT_EQ(reference.ranges[row].first, row * specs[2].pitch);
    EXPECT_EQ(reference.ranges[row].count, n);
  }
  return reference;
}

template <typename T>
void check_by_hand(Dtype dtype, auto make) {
  std::vector<T> a, b;
  for (float v : {1.0f, -2.0f, 3.0f, 4.0f, 5.0f, -6.0f}) a.push_back(make(v));
  for (float v : {7.0f, 8.0f, -9.0f, 10.0f, 11.0f, 12.0f}) b.push_back(make(v));
  const Problem p = problem(dtype, 2, 2, 3);
  const Reference random = expected(p, Fill::random, a, b);
  EXPECT_EQ(random.dtype, Dtype::f64);
  EXPECT_EQ(values_of<double>(random.values), (std::vector<double>{58, 24, -83, 10}));
  EXPECT_EQ(random.scales, (std::vector<double>{58, 64, 139, 154}));
  const Reference integers = expected(p, Fill::integers, a, b);
  EXPECT_TRUE(integers.scales.empty());
  if (dtype == Dtype::f64) {
    EXPECT_EQ(integers.dtype, Dtype::f64);
    EXPECT_EQ(values_of<double>(integers.values), (std::vector<double>{58, 24, -83, 10}));
  } else {
    EXPECT_EQ(integers.dtype, Dtype::f32);
    EXPECT_EQ(values_of<float>(integers.values), (std::vector<float>{58, 24, -83, 10}));
  }
}

TEST(Gemm, MultipliesFloatsByHand) {
  check_by_hand<float>(Dtype::f32, [](float v) { return v; });
}
TEST(Gemm, MultipliesDoublesByHand) {
  check_by_hand<double>(Dtype::f64, [](float v) { return double{v}; });
}
TEST(Gemm, MultipliesHalvesByHand) {
  check_by_hand<Half>(Dtype::f16, [](float v) { return Half(v); });
}

TEST(Gemm, MultipliesBytesByHandWithBStoredAsRowsOfK) {
  const Problem p = problem(Dtype::i8, 2, 2, 3);
  const std::vector<std::int8_t> a = {1, -2, 3, 4, 5, -6}, b = {7, 8, -9, 10, 11, 12};
  for (Fill fill : {Fill::random, Fill::integers}) {
    const Reference reference = expected(p, fill, a, b);
    EXPECT_EQ(reference.dtype, Dtype::i32);
    EXPECT_TRUE(reference.scales.empty());
    EXPECT_EQ(values_of<std::int32_t>(reference.values),
              (std::vector<std::int32_t>{58, 24, -83, 10}));
  }
}

TEST(Gemm, AddsBytesModulo32Bits) {
  // 2^17 products of 2^14 are 2^31.
  std::vector<std::int8_t> a(131'073, -128), b = a;
  a.back() = 5;
  b.back() = 1;
  const Reference over = expected(problem(Dtype::i8, 1, 1, 131'073), Fill::random, a, b);
  EXPECT_EQ(values_of<std::int32_t>(over.values), (std::vector<std::int32_t>{INT32_MIN + 5}));
  a.back() = -128;
  std::ranges::fill(b, std::int8_t{127});
  b.push_back(127);
  a.push_back(-128);
  const Reference under = expected(problem(Dtype::i8, 1, 1, 131'074), Fill::random, a, b);
  EXPECT_EQ(values_of<std::int32_t>(under.values),
            (std::vector<std::int32_t>{-128 * 127 * 131'074}));
  const std::vector<std::int8_t> much(300'000, -128);
  const Reference wrapped = expected(problem(Dtype::i8, 1, 1, 300'000), Fill::random, much, much);
  EXPECT_EQ(values_of<std::uint32_t>(wrapped.values),
            (std::vector<std::uint32_t>{static_cast<std::uint32_t>(300'000ull << 14)}));
}

TEST(Gemm, ExpectsMoreThanTheDtypesOwnPrecision) {
  const Reference f32 = expected<float>(problem(Dtype::f32, 1, 1, 3), Fill::random,
                                        {1.0f, 0x1p-30f, -1.0f}, {1, 1, 1});
  EXPECT_EQ(values_of<double>(f32.values).front(), 0x1p-30);
  const Reference f64 =
      expected<double>(problem(Dtype::f64, 1, 1, 3), Fill::random, {1.0, 0x1p-60, -1.0}, {1, 1, 1});
  EXPECT_EQ(values_of<double>(f64.values).front(), 0x1p-60);
  const Half tiny(0x1p-24f), one(1.0f);
  const Reference f16 = expected<Half>(problem(Dtype::f16, 1, 1, 3), Fill::random,
                                       {one, tiny, Half(-1.0f)}, {one, tiny, one});
  EXPECT_EQ(values_of<double>(f16.values).front(), 0x1p-48);
}

/// Rows that are checked of a problem whose inputs nobody needs to fill.
std::vector<std::uint64_t> rows_of(const Problem& p) {
  const auto specs = gemm().buffers(p);
  const std::vector<Bytes> inputs = {Bytes(specs[0].size_bytes()), Bytes(specs[1].size_bytes())};
  std::vector<std::uint64_t> rows;
  for (const Range& range : gemm().expected(p, Fill::integers, inputs).ranges) {
    EXPECT_EQ(range.first % specs[2].pitch, 0u);
    EXPECT_EQ(range.count, specs[2].columns);
    rows.push_back(range.first / specs[2].pitch);
  }
  return rows;
}

void expect_one_row_of_each_band_and_the_last(const std::vector<std::uint64_t>& rows,
                                              std::uint64_t m) {
  EXPECT_EQ(std::ranges::adjacent_find(rows, std::ranges::greater_equal{}), rows.end());
  EXPECT_EQ(rows.back(), m - 1);
  std::set<std::uint64_t> bands;
  for (std::uint64_t row : rows) bands.insert(row / 16);
  EXPECT_EQ(bands.size(), (m + 15) / 16);
  EXPECT_LE(rows.size(), bands.size() + 1);
}

TEST(Gemm, ChecksEveryRowUpToHalfABillionOperations) {
  // 2 m n k is 2^29, then a little more.
  const auto all = rows_of(problem(Dtype::i8, 1 << 12, 1 << 4, 1 << 12));
  std::vector<std::uint64_t> every(1 << 12);
  std::iota(every.begin(), every.end(), 0);
  EXPECT_EQ(all, every);
  const auto sampled = rows_of(problem(Dtype::i8, 1 << 12, 1 << 4, (1 << 12) + 1));
  expect_one_row_of_each_band_and_the_last(sampled, 1 << 12);
}

TEST(Gemm, SamplesEveryBandOfLargeProblemsAtEveryPlaceOfIt) {
  for (std::uint64_t m : {4096u, 4097u, 4160u, 5000u}) {
    const auto rows = rows_of(problem(Dtype::i8, m, 64, 1025));
    expect_one_row_of_each_band_and_the_last(rows, m);
    std::set<std::uint64_t> places;
    for (std::uint64_t row : rows) places.insert(row % 16);
    EXPECT_EQ(places.size(), 16u) << m;
  }
  for (std::uint64_t m : {63u, 64u, 65u}) {
    expect_one_row_of_each_band_and_the_last(rows_of(problem(Dtype::i8, m, 64, 1 << 17)), m);
  }
}

TEST(Gemm, ExpectsTheSameOfASampledRowAsOfEveryRow) {
  // The row that is sampled of band 3 is at place 3 * 37 % 16 = 15.
  const Problem large = problem(Dtype::i8, 4160, 64, 1024);
  const auto specs = gemm().buffers(large);
  const std::vector<Bytes> inputs = make_inputs(specs, Fill::random, 3);
  const Reference sampled = gemm().expected(large, Fill::random, inputs);
  const auto found =
      std::ranges::find(sampled.ranges, (3 * 16 + 15) * specs[2].pitch, &Range::first);
  ASSERT_NE(found, sampled.ranges.end());
  const std::size_t index = static_cast<std::size_t>(found - sampled.ranges.begin());

  const Problem one_row = problem(Dtype::i8, 1, 64, 1024);
  const auto row = std::span(inputs[0]).subspan((3 * 16 + 15) * specs[0].pitch, specs[0].pitch);
  const Reference alone = gemm().expected(
      one_row, Fill::random, std::vector<Bytes>{Bytes(row.begin(), row.end()), inputs[1]});
  EXPECT_TRUE(std::ranges::equal(
      std::span(sampled.values).subspan(index * alone.values.size(), alone.values.size()),
      alone.values));
}

TEST(Gemm, CostsWhatTheFormulaSays) {
  struct Expected {
    Dtype dtype;
    std::uint64_t read, written;
  };
  // A has 21 elements, B 35, C 15.
  for (const Expected& e : {Expected{Dtype::f32, 224, 60}, Expected{Dtype::f64, 448, 120},
                            Expected{Dtype::f16, 112, 60}, Expected{Dtype::i8, 56, 60}}) {
    const Cost cost = gemm().cost(problem(e.dtype, 3, 5, 7));
    EXPECT_EQ(cost.flops, 210u) << to_string(e.dtype);
    EXPECT_EQ(cost.bytes_read, e.read) << to_string(e.dtype);
    EXPECT_EQ(cost.bytes_written, e.written) << to_string(e.dtype);
    EXPECT_FALSE(cost.source.empty());
  }
  const Cost large = gemm().cost(problem(Dtype::f64, 65'471, 65'471, 65'471));
  EXPECT_EQ(large.flops, 2ull * 65'471 * 65'471 * 65'471);
  EXPECT_EQ(large.bytes_read, 16ull * 65'471 * 65'471);
}

TEST(Gemm, ToleratesWhatTheModelSays) {
  const auto of = [](Dtype dtype, std::uint64_t k) {
    return gemm().tolerance(problem(dtype, 5, 6, k));
  };
  for (Dtype dtype : {Dtype::f16, Dtype::f32, Dtype::f64}) {
    EXPECT_EQ(of(dtype, 4096).metric, "scaled_error") << to_string(dtype);
  }
  // sqrt(4096) = 64.
  EXPECT_DOUBLE_EQ(of(Dtype::f32, 4096).limit, 6 * 64 * 0x1p-24);
  EXPECT_DOUBLE_EQ(of(Dtype::f32, 4096).rms_limit, 0x1p-22);
  EXPECT_DOUBLE_EQ(of(Dtype::f64, 4096).limit, 6 * 64 * 0x1p-53);
  EXPECT_DOUBLE_EQ(of(Dtype::f64, 4096).rms_limit, 0x1p-51);
  EXPECT_DOUBLE_EQ(of(Dtype::f16, 4096).limit, 6 * 64 * 0x1p-23);
  EXPECT_DOUBLE_EQ(of(Dtype::f16, 4096).rms_limit, 0x1p-20);
  EXPECT_DOUBLE_EQ(of(Dtype::f32, 1).limit, 6 * 0x1p-24);
  EXPECT_DOUBLE_EQ(of(Dtype::f32, 1).rms_limit, 0x1p-22);
  EXPECT_EQ(of(Dtype::i8, 4096).metric, "bitwise");
  EXPECT_EQ(of(Dtype::i8, 4096).limit, 0.0);
  EXPECT_EQ(of(Dtype::i8, 4096).rms_limit, 0.0);
}

TEST(Gemm, NamesTheDimensionsThatAreOutOfRange) {
  const auto error = [](std::uint64_t m, std::uint64_t n, std::uint64_t k) {
    return gemm().size_error(size_of(m, n, k)).value_or("none");
  };
  EXPECT_EQ(error(1, 1, 1), "none");
  EXPECT_EQ(error(8192, 8192, 8192), "none");
  EXPECT_EQ(error(0, 1, 1), "m=0 is out of range; valid: 1 to 4286578688");
  EXPECT_EQ(error(1, 0, 1), "n=0 is out of range; valid: 1 to 4286578688");
  EXPECT_EQ(error(1, 1, 0), "k=0 is out of range; valid: 1 to 4286578688");
  EXPECT_EQ(error(0, 0, 0), "m=0 is out of range; valid: 1 to 4286578688");
  EXPECT_EQ(error(1, kMostElements + 1, 1), "n=4286578689 is out of range; valid: 1 to 4286578688");
  EXPECT_EQ(error(1, 1, ~std::uint64_t{0}),
            "k=18446744073709551615 is out of range; valid: 1 to 4286578688");
  EXPECT_EQ(error(1 << 16, 1, 1 << 16),
            "a matrix of m=65536 rows and k=65536 columns is too large; valid: up to 4286578688 "
            "elements");
  EXPECT_THAT(error(1, 1 << 16, 1 << 16), HasSubstr("k=65536 rows and n=65536 columns"));
  EXPECT_THAT(error(1 << 16, 1 << 16, 1), HasSubstr("m=65536 rows and n=65536 columns"));
}

TEST(Gemm, CountsPaddingWhereItRefusesLargeMatrices) {
  const auto fits = [](std::uint64_t m, std::uint64_t n, std::uint64_t k) {
    return !gemm().size_error(size_of(m, n, k)).has_value();
  };
  // Rows of one element take sixteen in i8, and B is stored by rows of n there.
  constexpr std::uint64_t kMostRows = kMostElements / 16;
  EXPECT_TRUE(fits(kMostRows, 1, 1));
  EXPECT_FALSE(fits(kMostRows + 1, 1, 1));
  EXPECT_TRUE(fits(1, kMostRows, 1));
  EXPECT_FALSE(fits(1, kMostRows + 1, 1));
  EXPECT_TRUE(fits(1, 1, kMostRows));
  EXPECT_FALSE(fits(1, 1, kMostRows + 1));
  EXPECT_TRUE(fits(65'471, 65'471, 65'471));
  EXPECT_FALSE(fits(65'472, 65'472, 65'472));
  for (Dtype dtype : gemm().dtypes()) {
    for (const BufferSpec& spec : gemm().buffers(problem(dtype, 65'471, 65'471, 65'471))) {
      EXPECT_LE(spec.rows * spec.pitch, kMostElements) << to_string(dtype) << spec.name;
    }
  }
}

TEST(Gemm, StoresRowsPaddedToSixteenBytes) {
  struct Matrix {
    Dtype dtype;
    std::uint64_t rows, columns, pitch;
  };
  const auto check = [](Dtype dtype, const std::array<Matrix, 3>& expected) {
    const auto specs = gemm().buffers(problem(dtype, 3, 5, 17));
    ASSERT_EQ(specs.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      SCOPED_TRACE(std::string(to_string(dtype)) + " " + specs[i].name);
      EXPECT_EQ(specs[i].dtype, expected[i].dtype);
      EXPECT_EQ(specs[i].rows, expected[i].rows);
      EXPECT_EQ(specs[i].columns, expected[i].columns);
      EXPECT_EQ(specs[i].pitch, expected[i].pitch);
      EXPECT_EQ(specs[i].pitch * size_bytes(specs[i].dtype) % 16, 0u);
      EXPECT_EQ(specs[i].role, i == 2 ? Role::out : Role::in);
      EXPECT_FALSE(specs[i].free_padding);
    }
  };
  check(Dtype::f32, {{{Dtype::f32, 3, 17, 20}, {Dtype::f32, 17, 5, 8}, {Dtype::f32, 3, 5, 8}}});
  check(Dtype::f64, {{{Dtype::f64, 3, 17, 18}, {Dtype::f64, 17, 5, 6}, {Dtype::f64, 3, 5, 6}}});
  check(Dtype::f16, {{{Dtype::f16, 3, 17, 24}, {Dtype::f16, 17, 5, 8}, {Dtype::f32, 3, 5, 8}}});
  check(Dtype::i8, {{{Dtype::i8, 3, 17, 32}, {Dtype::i8, 5, 17, 32}, {Dtype::i32, 3, 5, 8}}});
}

using Words = std::vector<std::uint32_t>;

TEST(Gemm, LaunchesOneGroupPerTileOfC) {
  struct Expected {
    std::string variant;
    Dtype dtype;
    std::uint32_t groups, tiles_n;
  };
  // 127 x 129 in tiles of 16, 128 and, in f64, 64.
  for (const Expected& e : std::vector<Expected>{{"naive", Dtype::f32, 72, 9},
                                                 {"naive", Dtype::f64, 72, 9},
                                                 {"tiled", Dtype::f16, 72, 9},
                                                 {"tiled", Dtype::f64, 72, 9},
                                                 {"register", Dtype::f32, 2, 2},
                                                 {"register", Dtype::f64, 6, 3},
                                                 {"register", Dtype::i8, 2, 2},
                                                 {"vec4", Dtype::f16, 2, 2},
                                                 {"vec4", Dtype::f64, 6, 3},
                                                 {"vec4_double", Dtype::f32, 2, 2},
                                                 {"vec4_double", Dtype::f64, 6, 3}}) {
    const Problem p = problem(e.dtype, 127, 129, 131);
    const auto specs = gemm().buffers(p);
    const std::string name = e.variant + "/" + std::string(to_string(e.dtype));
    const auto steps = gemm().steps(p, e.variant);
    ASSERT_EQ(steps.size(), 1u);
    EXPECT_EQ(steps[0].kernel, "gemm/" + name);
    EXPECT_EQ(steps[0].group_size, (Extent3{.x = 256}));
    EXPECT_EQ(steps[0].groups, (Extent3{.x = e.groups})) << name;
    EXPECT_EQ(steps[0].buffers, (Words{0, 1, 2}));
    EXPECT_EQ(values_of<std::uint32_t>(steps[0].constants),
              (Words{127, 129, 131, static_cast<std::uint32_t>(specs[0].pitch),
                     static_cast<std::uint32_t>(specs[1].pitch),
                     static_cast<std::uint32_t>(specs[2].pitch), e.tiles_n}))
        << name;
  }
  const auto f32 = gemm().steps(problem(Dtype::f32, 127, 129, 131), "vec4")[0].constants;
  EXPECT_EQ(values_of<std::uint32_t>(f32), (Words{127, 129, 131, 132, 132, 132, 2}));
  const auto i8 = gemm().steps(problem(Dtype::i8, 127, 129, 131), "vec4")[0].constants;
  EXPECT_EQ(values_of<std::uint32_t>(i8), (Words{127, 129, 131, 144, 144, 132, 2}));
}

TEST(Gemm, LaunchesNoMoreGroupsThanEveryApiAllows) {
  std::vector<Size> sizes = gemm().sizes(Preset::full);
  sizes.push_back(size_of(65'471, 65'471, 65'471));
  sizes.push_back(size_of(kMostElements / 16, 1, 1));
  for (const Size& size : sizes) {
    for (const Variant& variant : gemm().variants()) {
      for (Dtype dtype : gemm().dtypes()) {
        const Problem p{.dtype = dtype, .size = size};
        const Extent3 groups = gemm().steps(p, variant.name).front().groups;
        const bool small = variant.name == "naive" || variant.name == "tiled";
        const std::uint64_t edge = small ? 16 : dtype == Dtype::f64 ? 64 : 128;
        const auto tiles = [&](std::string_view dim) { return (p.dim(dim) + edge - 1) / edge; };
        EXPECT_GE(groups.count(), tiles("m") * tiles("n")) << format_size(size);
        EXPECT_LE(groups.x, 65'535u) << format_size(size);
        EXPECT_LE(groups.y, 65'535u) << format_size(size);
        EXPECT_EQ(groups.z, 1u);
      }
    }
  }
}

TEST(Gemm, OffersTheSizesOfTheIssue) {
  const auto has = [](Preset preset, std::uint64_t m, std::uint64_t n, std::uint64_t k) {
    return std::ranges::count(gemm().sizes(preset), size_of(m, n, k)) == 1;
  };
  for (std::uint64_t edge = 256; edge <= 8192; edge *= 2) {
    EXPECT_TRUE(has(Preset::full, edge, edge, edge)) << edge;
  }
  EXPECT_TRUE(has(Preset::full, 1, 1, 1));
  EXPECT_TRUE(has(Preset::full, 127, 129, 131));
  EXPECT_TRUE(has(Preset::full, 1, 4096, 4096));
  EXPECT_TRUE(has(Preset::standard, 4096, 4096, 4096));
  bool tall = false, wide = false;
  for (const Size& size : gemm().sizes(Preset::full)) {
    const std::uint64_t m = size[0].value, n = size[1].value;
    tall |= m >= 64 * n && n > 1;
    wide |= n >= 64 * m && m > 1;
  }
  EXPECT_TRUE(tall);
  EXPECT_TRUE(wide);
}

TEST(Gemm, OffersSizesFromSmallToLargeWithAnOddOneInEachPreset) {
  for (Preset preset : {Preset::quick, Preset::ci, Preset::standard, Preset::full}) {
    const std::vector<Size> sizes = gemm().sizes(preset);
    const auto flops = [](const Size& s) { return gemm().cost({.size = s}).flops; };
    EXPECT_TRUE(std::ranges::is_sorted(sizes, {}, flops));
    EXPECT_EQ(std::ranges::count(sizes, size_of(127, 129, 131)), 1);
    for (const Size& size : sizes) {
      EXPECT_EQ(gemm().complete(size), size);
      EXPECT_EQ(gemm().size_error(size), std::nullopt) << format_size(size);
    }
  }
}

TEST(Gemm, FitsSoftwareDevicesInTheQuickPreset) {
  constexpr std::uint64_t kLavapipeBinding = std::uint64_t{128} << 20;
  constexpr std::uint64_t kLavapipeIterations = 65'535;
  for (const Size& size : gemm().sizes(Preset::quick)) {
    EXPECT_LT(size[2].value, kLavapipeIterations);
    for (Dtype dtype : gemm().dtypes()) {
      for (const BufferSpec& spec : gemm().buffers({.dtype = dtype, .size = size})) {
        EXPECT_LE(spec.size_bytes(), kLavapipeBinding);
      }
    }
  }
}

/// Runs a variant on the host, group by group. Nothing may be written where nothing belongs.
Bytes run_on_host(const Problem& p, std::string_view variant, std::vector<Bytes> inputs) {
  const BufferSpec spec = gemm().buffers(p)[2];
  Bytes c(spec.size_bytes());
  std::ranges::fill(c, std::byte{0xff});
  for (const Step& step : gemm().steps(p, variant)) {
    const HostKernel kernel = find_host_kernel(step.kernel);
    if (kernel == nullptr) throw std::logic_error("no host kernel " + step.kernel);
    std::byte* const buffers[] = {inputs[0].data(), inputs[1].data(), c.data()};
    for (std::uint32_t y = 0; y < step.groups.y; ++y) {
      for (std::uint32_t x = 0; x < step.groups.x; ++x) {
        kernel({.group = {x, y, 0},
                .groups = step.groups,
                .group_size = step.group_size,
                .buffers = buffers,
                .constants = step.constants});
      }
    }
  }
  const std::uint64_t width = size_bytes(spec.dtype);
  for (std::uint64_t row = 0; row < spec.rows; ++row) {
    const auto padding = std::span(c).subspan((row * spec.pitch + spec.columns) * width,
                                              (spec.pitch - spec.columns) * width);
    EXPECT_TRUE(std::ranges::all_of(padding, [](std::byte b) { return b == std::byte{0xff}; }))
        << "padding of row " << row << " was written";
  }
  return c;
}

Verdict check_on_host(const Problem& p, std::string_view variant, Fill fill) {
  const auto specs = gemm().buffers(p);
  const std::vector<Bytes> inputs = make_inputs(specs, fill, 1);
  return compare(gemm().expected(p, fill, inputs),
                 fill == Fill::random ? gemm().tolerance(p) : Tolerance{.metric = "bitwise"},
                 specs[2].dtype, run_on_host(p, variant, inputs));
}

TEST(Gemm, HostKernelsComputeWhatIsExpectedOnOddShapes) {
  for (const auto& [m, n, k] : std::vector<std::array<std::uint64_t, 3>>{{1, 1, 1},
                                                                         {1, 1, 9},
                                                                         {2, 3, 5},
                                                                         {17, 16, 15},
                                                                         {16, 17, 33},
                                                                         {63, 65, 8},
                                                                         {129, 1, 16},
                                                                         {1, 129, 17},
                                                                         {130, 67, 24}}) {
    for (Dtype dtype : gemm().dtypes()) {
      const Problem p = problem(dtype, m, n, k);
      for (const Variant& variant : gemm().variants()) {
        for (Fill fill : {Fill::random, Fill::integers}) {
          SCOPED_TRACE(format_case_name({"gemm", dtype, p.size, variant.name}));
          const Verdict verdict = check_on_host(p, variant.name, fill);
          EXPECT_TRUE(verdict.ok) << verdict.detail;
          EXPECT_EQ(verdict.checked, m * n);
        }
      }
    }
  }
}

TEST(Gemm, HostKernelsGuardTheGroupsOfAnUnfilledLastRow) {
  // One tile of 16 more than a row of groups holds.
  const Verdict tall = check_on_host(problem(Dtype::f32, 524'289, 1, 2), "naive", Fill::integers);
  EXPECT_TRUE(tall.ok) << tall.detail;
  const Verdict wide = check_on_host(problem(Dtype::f32, 1, 524'289, 2), "tiled", Fill::integers);
  EXPECT_TRUE(wide.ok) << wide.detail;
}

/// Verdict on C computed from other inputs than the reference's.
Verdict check_changed(const Problem& p, std::string_view variant, auto change) {
  const auto specs = gemm().buffers(p);
  const std::vector<Bytes> inputs = make_inputs(specs, Fill::random, 2);
  std::vector<Bytes> changed = inputs;
  change(changed);
  return compare(gemm().expected(p, Fill::random, inputs), gemm().tolerance(p), specs[2].dtype,
                 run_on_host(p, variant, changed));
}

/// Rounds every element of the inputs.
template <typename T>
void round_all(std::vector<Bytes>& inputs, auto round) {
  for (Bytes& bytes : inputs) {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, bytes.data() + at, sizeof value);
      value = round(value);
      std::memcpy(bytes.data() + at, &value, sizeof value);
    }
  }
}

TEST(Gemm, LimitsTellRoundingFromALowerPrecision) {
  for (std::uint64_t k : {64u, 1024u}) {
    const Problem f32 = problem(Dtype::f32, 65, 63, k), f64 = problem(Dtype::f64, 65, 63, k);
    for (const Problem& p : {f32, f64}) {
      const Verdict right = check_changed(p, "vec4", [](auto&) {});
      EXPECT_LT(right.worst, right.limit / 4);
      EXPECT_LT(right.rms, right.rms_limit / 4);
    }
    // Ten bits of mantissa are left, as matrix units take them.
    const Verdict short_floats = check_changed(f32, "vec4", [](std::vector<Bytes>& inputs) {
      round_all<std::uint32_t>(inputs, [](std::uint32_t bits) { return bits & ~0x1fffu; });
    });
    EXPECT_FALSE(short_floats.ok);
    EXPECT_GT(short_floats.rms, 4 * short_floats.rms_limit);
    const Verdict floats = check_changed(f64, "vec4", [](std::vector<Bytes>& inputs) {
      round_all<double>(inputs, [](double v) { return double{static_cast<float>(v)}; });
    });
    EXPECT_FALSE(floats.ok);
  }
}

TEST(Gemm, LimitsTellSumsInHalfPrecisionFromSumsInSingle) {
  const std::uint64_t m = 16, n = 16, k = 256;
  const Problem p = problem(Dtype::f16, m, n, k);
  const auto specs = gemm().buffers(p);
  const std::vector<Bytes> inputs = make_inputs(specs, Fill::random, 2);
  const auto a = values_of<Half>(inputs[0]), b = values_of<Half>(inputs[1]);
  std::vector<float> c(specs[2].rows * specs[2].pitch);
  for (std::uint64_t i = 0; i < m; ++i) {
    for (std::uint64_t j = 0; j < n; ++j) {
      Half sum(0.0f);
      for (std::uint64_t l = 0; l < k; ++l) {
        sum = Half(static_cast<float>(sum) + static_cast<float>(a[i * specs[0].pitch + l]) *
                                                 static_cast<float>(b[l * specs[1].pitch + j]));
      }
      c[i * specs[2].pitch + j] = static_cast<float>(sum);
    }
  }
  const Verdict halves = compare(gemm().expected(p, Fill::random, inputs), gemm().tolerance(p),
                                 Dtype::f32, std::as_bytes(std::span(c)));
  EXPECT_FALSE(halves.ok);
  EXPECT_GT(halves.rms, 4 * halves.rms_limit);
}

TEST(Gemm, LimitsTellRoundingFromOneLostProduct) {
  for (Dtype dtype : {Dtype::f16, Dtype::f32, Dtype::f64}) {
    const Problem p = problem(dtype, 20, 21, 1024);
    const std::uint64_t pitch = gemm().buffers(p)[0].pitch * size_bytes(dtype);
    const Verdict lost = check_changed(p, "register", [&](std::vector<Bytes>& inputs) {
      // The last of k in row 7.
      std::memset(inputs[0].data() + 7 * pitch + 1023 * size_bytes(dtype), 0, size_bytes(dtype));
    });
    EXPECT_FALSE(lost.ok) << to_string(dtype);
    EXPECT_EQ(lost.at / gemm().buffers(p)[2].pitch, 7u) << to_string(dtype);
  }
}

}  // namespace
}  // namespace parallax
