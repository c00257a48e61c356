#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "workloads/half.hpp"
#include "workloads/inputs.hpp"
#include "workloads/workload.hpp"

namespace parallax {
namespace {

const Workload& vector_add() {
  for (const Workload* workload : all_workloads()) {
    if (workload->name() == "vector_add") return *workload;
  }
  throw std::logic_error("vector_add is not registered");
}

Problem problem(Dtype dtype, std::uint64_t n) { return {.dtype = dtype, .size = {{"n", n}}}; }

template <typename T>
Bytes padded(const std::vector<T>& values) {
  Bytes bytes((values.size() * sizeof(T) + 15) / 16 * 16);
  std::memcpy(bytes.data(), values.data(), values.size() * sizeof(T));
  return bytes;
}

template <typename T>
std::vector<T> expected_sum(Dtype dtype, const std::vector<T>& a, const std::vector<T>& b) {
  const std::vector<Bytes> inputs = {padded(a), padded(b)};
  const Reference reference = vector_add().expected(problem(dtype, a.size()), Fill::random, inputs);
  EXPECT_EQ(reference.dtype, dtype);
  EXPECT_EQ(reference.buffer, 2u);
  EXPECT_EQ(reference.ranges.size(), 1u);
  EXPECT_EQ(reference.ranges.front().first, 0u);
  EXPECT_EQ(reference.ranges.front().count, a.size());
  std::vector<T> out(a.size());
  EXPECT_EQ(reference.values.size(), a.size() * sizeof(T));
  std::memcpy(out.data(), reference.values.data(), reference.values.size());
  return out;
}

TEST(VectorAdd, AddsFloatsWithOneRounding) {
  const auto sum = expected_sum<float>(Dtype::f32, {1.0f, -0.5f, 1.0f, 16777216.0f, 0.1f},
                                       {2.0f, 0.25f, 0x1p-25f, 1.0f, 0.2f});
  EXPECT_EQ(sum, (std::vector<float>{3.0f, -0.25f, 1.0f, 16777216.0f, 0.3f}));
}

TEST(VectorAdd, AddsDoubles) {
  const auto sum =
      expected_sum<double>(Dtype::f64, {0.1, 1.0, 9007199254740992.0}, {0.2, 0x1p-53, 1.0});
  EXPECT_EQ(sum, (std::vector<double>{0.30000000000000004, 1.0, 9007199254740992.0}));
}

TEST(VectorAdd, AddsIntegersModulo32Bits) {
  const auto sum =
      expected_sum<std::int32_t>(Dtype::i32, {1, INT32_MAX, INT32_MIN, -1}, {2, 1, -1, 1});
  EXPECT_EQ(sum, (std::vector<std::int32_t>{3, INT32_MIN, INT32_MAX, 0}));
}

TEST(VectorAdd, AddsHalvesThroughFloat) {
  const auto half = [](float v) { return Half(v).bits(); };
  const auto sum = expected_sum<std::uint16_t>(
      Dtype::f16, {half(1.0f), half(2048.0f), half(2048.0f), half(60000.0f)},
      {half(0.5f), half(1.0f), half(3.0f), half(60000.0f)});
  // 2049 ties to 2048, 2051 ties to 2052, and 120000 is beyond the type.
  EXPECT_EQ(sum, (std::vector<std::uint16_t>{half(1.5f), half(2048.0f), half(2052.0f), 0x7c00}));
}

TEST(VectorAdd, SumsOfItsOwnHalvesAreExact) {
  const std::size_t n = 4096;
  const std::vector<Bytes> inputs =
      make_inputs(vector_add().buffers(problem(Dtype::f16, n)), Fill::random, 1);
  const Reference reference = vector_add().expected(problem(Dtype::f16, n), Fill::random, inputs);
  for (std::size_t i = 0; i < n; ++i) {
    Half a, b, c;
    std::memcpy(&a, inputs[0].data() + 2 * i, 2);
    std::memcpy(&b, inputs[1].data() + 2 * i, 2);
    std::memcpy(&c, reference.values.data() + 2 * i, 2);
    ASSERT_EQ(static_cast<float>(c), static_cast<float>(a) + static_cast<float>(b)) << i;
  }
}

TEST(VectorAdd, CoversEveryElementAcrossThreads) {
  const std::size_t n = (1 << 18) + 3;
  std::vector<float> a(n), b(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 0.5f;
  }
  const auto sum = expected_sum(Dtype::f32, a, b);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sum[i], a[i] + 0.5f) << i;
}

TEST(VectorAdd, CostsWhatTheFormulaSays) {
  const Cost f32 = vector_add().cost(problem(Dtype::f32, 1000));
  EXPECT_EQ(f32.flops, 1000u);
  EXPECT_EQ(f32.bytes_read, 8000u);
  EXPECT_EQ(f32.bytes_written, 4000u);
  EXPECT_FALSE(f32.source.empty());
  const Cost f16 = vector_add().cost(problem(Dtype::f16, 7));
  EXPECT_EQ(f16.flops, 7u);
  EXPECT_EQ(f16.bytes_read, 28u);
  EXPECT_EQ(f16.bytes_written, 14u);
  const Cost f64 = vector_add().cost(problem(Dtype::f64, std::uint64_t{1} << 31));
  EXPECT_EQ(f64.bytes_read, std::uint64_t{1} << 35);
  EXPECT_EQ(f64.bytes_written, std::uint64_t{1} << 34);
  EXPECT_EQ(vector_add().cost(problem(Dtype::i32, 1000)).flops, 0u);
}

TEST(VectorAdd, PadsBuffersToSixteenBytes) {
  for (Dtype dtype : vector_add().dtypes()) {
    for (std::uint64_t n : {1u, 2u, 7u, 8u, 499u, 1021u, 65536u}) {
      const auto specs = vector_add().buffers(problem(dtype, n));
      ASSERT_EQ(specs.size(), 3u);
      for (const BufferSpec& spec : specs) {
        EXPECT_EQ(spec.count(), n);
        EXPECT_EQ(spec.dtype, dtype);
        EXPECT_EQ(spec.size_bytes() % 16, 0u);
        EXPECT_GE(spec.pitch, n);
        EXPECT_LT(spec.size_bytes() - n * size_bytes(dtype), 16u);
      }
      EXPECT_EQ(specs[0].role, Role::in);
      EXPECT_EQ(specs[1].role, Role::in);
      EXPECT_EQ(specs[2].role, Role::out);
    }
  }
}

TEST(VectorAdd, RefusesSizesOutOfRangeAndNamesTheRange) {
  constexpr std::uint64_t kMost = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 23);
  for (std::uint64_t n : {std::uint64_t{0}, kMost + 1, ~std::uint64_t{0}}) {
    const auto error = vector_add().size_error({{"n", n}});
    ASSERT_TRUE(error.has_value()) << n;
    EXPECT_NE(error->find(std::to_string(kMost)), std::string::npos) << *error;
  }
  for (std::uint64_t n : {std::uint64_t{1}, std::uint64_t{7}, kMost}) {
    EXPECT_FALSE(vector_add().size_error({{"n", n}}).has_value()) << n;
  }
}

std::uint32_t first_constant(const Step& step) {
  std::uint32_t value = 0;
  std::memcpy(&value, step.constants.data(), sizeof value);
  return value;
}

TEST(VectorAdd, LaunchesOneLanePerElementOrPerSixteenBytes) {
  struct Expected {
    std::string variant;
    Dtype dtype;
    std::uint64_t n, units, groups;
  };
  for (const Expected& e : std::vector<Expected>{{"naive", Dtype::f32, 1, 1, 1},
                                                 {"naive", Dtype::f32, 256, 256, 1},
                                                 {"naive", Dtype::f64, 257, 257, 2},
                                                 {"vec4", Dtype::f32, 1, 1, 1},
                                                 {"vec4", Dtype::f32, 1024, 256, 1},
                                                 {"vec4", Dtype::f32, 1025, 257, 2},
                                                 {"vec4", Dtype::f16, 8192, 1024, 4},
                                                 {"vec4", Dtype::f64, 1021, 511, 2}}) {
    const auto steps = vector_add().steps(problem(e.dtype, e.n), e.variant);
    ASSERT_EQ(steps.size(), 1u);
    const Step& step = steps.front();
    EXPECT_EQ(step.kernel, "vector_add/" + e.variant + "/" + std::string(to_string(e.dtype)));
    EXPECT_EQ(step.group_size, (Extent3{256, 1, 1}));
    EXPECT_EQ(step.groups, (Extent3{static_cast<std::uint32_t>(e.groups), 1, 1})) << e.n;
    EXPECT_EQ(step.buffers, (std::vector<std::uint32_t>{0, 1, 2}));
    ASSERT_EQ(step.constants.size(), 4u);
    EXPECT_EQ(first_constant(step), e.units);
  }
}

TEST(VectorAdd, CoversTheLargestSizeWithGroupsThatEveryApiAllows) {
  for (std::uint64_t n : {std::uint64_t{1} << 24, (std::uint64_t{1} << 24) + 1,
                          std::uint64_t{1} << 28, std::uint64_t{1} << 31}) {
    for (const Variant& variant : vector_add().variants()) {
      for (Dtype dtype : vector_add().dtypes()) {
        const Step step = vector_add().steps(problem(dtype, n), variant.name).front();
        EXPECT_LE(step.groups.x, 65535u);
        EXPECT_LE(step.groups.y, 65535u);
        EXPECT_EQ(step.groups.z, 1u);
        EXPECT_GE(step.groups.count() * 256, first_constant(step));
        // Lanes are numbered in 32 bits.
        EXPECT_LE(step.groups.count() * 256, std::uint64_t{1} << 32) << n;
      }
    }
  }
}

TEST(VectorAdd, OffersTheSizesOfTheIssue) {
  const auto has = [](Preset preset, std::uint64_t n) {
    return std::ranges::count(vector_add().sizes(preset), Size{{"n", n}}) == 1;
  };
  EXPECT_TRUE(has(Preset::standard, 1021));
  EXPECT_TRUE(has(Preset::standard, 1u << 28));
  for (std::uint64_t n : {1u, 7u, 499u, 1021u, (1u << 24) + 1}) {
    EXPECT_TRUE(has(Preset::full, n)) << n;
  }
  for (unsigned power = 16; power <= 29; ++power) EXPECT_TRUE(has(Preset::full, 1u << power));
  for (Preset preset : {Preset::quick, Preset::standard, Preset::full, Preset::ci}) {
    const auto sizes = vector_add().sizes(preset);
    EXPECT_TRUE(std::ranges::is_sorted(sizes, {}, [](const Size& s) { return s.front().value; }));
    for (const Size& size : sizes) EXPECT_FALSE(vector_add().size_error(size).has_value());
  }
}

TEST(VectorAdd, FitsSoftwareDevicesInTheQuickPreset) {
  constexpr std::uint64_t kLavapipeBinding = std::uint64_t{128} << 20;
  for (Dtype dtype : vector_add().dtypes()) {
    for (const Size& size : vector_add().sizes(Preset::quick)) {
      for (const BufferSpec& spec : vector_add().buffers({.dtype = dtype, .size = size})) {
        EXPECT_LE(spec.size_bytes(), kLavapipeBinding);
      }
    }
  }
}

TEST(VectorAdd, IsCheckedBitwise) {
  const Tolerance tolerance = vector_add().tolerance(problem(Dtype::f32, 1));
  EXPECT_EQ(tolerance.metric, "bitwise");
  EXPECT_EQ(tolerance.limit, 0.0);
}

TEST(SpreadGroups, CoversTheTotalWithinTheLimits) {
  for (std::uint64_t total : {1ull, 2ull, 32768ull, 32769ull, 65535ull, 65536ull, 100'000ull,
                              8'388'608ull, 8'388'609ull}) {
    const Extent3 groups = spread_groups(total);
    EXPECT_GE(groups.count(), total);
    EXPECT_LE(groups.x, 65535u);
    EXPECT_LE(groups.y, 65535u);
    EXPECT_LT(groups.count() - total, groups.x) << "whole rows are wasted";
  }
  EXPECT_EQ(spread_groups(1), (Extent3{1, 1, 1}));
  EXPECT_EQ(spread_groups(65536), (Extent3{32768, 2, 1}));
}

TEST(Problem, NamesADimensionThatIsNotThere) {
  EXPECT_EQ(problem(Dtype::f32, 5).dim("n"), 5u);
  EXPECT_THROW((void)problem(Dtype::f32, 5).dim("m"), std::out_of_range);
}

}  // namespace
}  // namespace parallax
