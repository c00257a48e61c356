#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "backends/device_code.hpp"
#include "workloads/workload.hpp"

namespace parallax {
namespace {

const Workload& reduction() {
  for (const Workload* workload : all_workloads()) {
    if (workload->name() == "reduction") return *workload;
  }
  throw std::logic_error("reduction is not registered");
}

Problem problem(Dtype dtype, std::uint64_t n) { return {.dtype = dtype, .size = {{"n", n}}}; }

/// The input buffer with NaN, or some other value that a sum cannot hide, in its padding.
template <typename T>
Bytes padded(const std::vector<T>& values) {
  Bytes bytes((values.size() * sizeof(T) + 15) / 16 * 16);
  std::ranges::fill(bytes, std::byte{0xff});
  std::memcpy(bytes.data(), values.data(), values.size() * sizeof(T));
  return bytes;
}

template <typename T>
T first_of(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

template <typename T>
Reference reference_of(Dtype dtype, Fill fill, const std::vector<T>& values) {
  const std::vector<Bytes> inputs = {padded(values)};
  Reference reference = reduction().expected(problem(dtype, values.size()), fill, inputs);
  EXPECT_EQ(reference.buffer, 2u);
  EXPECT_EQ(reference.ranges.size(), 1u);
  EXPECT_EQ(reference.ranges.front().first, 0u);
  EXPECT_EQ(reference.ranges.front().count, 1u);
  EXPECT_EQ(reference.values.size(), size_bytes(reference.dtype));
  return reference;
}

/// Runs the steps of a variant with the host's kernels. Errors: fails the test when a launch writes
/// outside what it is given.
template <typename T>
T sum_on_host(Dtype dtype, std::string_view variant, const std::vector<T>& values) {
  const Problem p = problem(dtype, values.size());
  std::vector<Bytes> contents;
  for (const BufferSpec& spec : reduction().buffers(p)) {
    contents.emplace_back(spec.size_bytes());
    std::ranges::fill(contents.back(), std::byte{0xff});
  }
  contents[0] = padded(values);
  for (const Step& step : reduction().steps(p, variant)) {
    const HostKernel kernel = find_host_kernel(step.kernel);
    if (kernel == nullptr) throw std::logic_error("no host kernel " + step.kernel);
    std::vector<std::byte*> buffers;
    for (std::uint32_t index : step.buffers) buffers.push_back(contents[index].data());
    for (std::uint32_t x = 0; x < step.groups.x; ++x) {
      kernel({.group = {.x = x, .y = 0, .z = 0},
              .groups = step.groups,
              .group_size = step.group_size,
              .buffers = buffers,
              .constants = step.constants});
    }
  }
  EXPECT_EQ(contents[0], padded(values));
  const auto padding = std::span(contents[2]).subspan(sizeof(T));
  EXPECT_TRUE(std::ranges::all_of(padding, [](std::byte b) { return b == std::byte{0xff}; }));
  return first_of<T>(contents[2]);
}

template <typename T>
std::vector<T> uniform(std::size_t n, unsigned seed) {
  std::mt19937_64 bits(seed);
  std::uniform_real_distribution<T> in_range(-1, 1);
  std::vector<T> values(n);
  for (T& value : values) value = in_range(bits);
  return values;
}

/// -2, -1, 1 and 2, so that no lost element goes unseen.
template <typename T>
std::vector<T> small_integers(std::size_t n) {
  std::mt19937_64 bits(n);
  std::vector<T> values(n);
  for (T& value : values) value = static_cast<T>(std::array{-2, -1, 1, 2}[bits() % 4]);
  return values;
}

TEST(Reduction, ExpectsFloatsInDoubleAndTheirNormAsScale) {
  const Reference reference = reference_of<float>(Dtype::f32, Fill::random, {3.0f, 0x1p-30f, 4.0f});
  EXPECT_EQ(reference.dtype, Dtype::f64);
  EXPECT_EQ(first_of<double>(reference.values), 7.0 + 0x1p-30);
  ASSERT_EQ(reference.scales.size(), 1u);
  EXPECT_DOUBLE_EQ(reference.scales.front(), 5.0);
}

TEST(Reduction, ExpectsDoublesBeyondTheirOwnPrecision) {
  // A plain sum in double gives -1.
  const Reference reference =
      reference_of<double>(Dtype::f64, Fill::random, {1.0, 0x1p60, 0x1p-40, -0x1p60, -1.0});
  EXPECT_EQ(reference.dtype, Dtype::f64);
  EXPECT_EQ(first_of<double>(reference.values), 0x1p-40);
}

TEST(Reduction, ExpectsTheSameFromAnyNumberOfBlocks) {
  for (std::size_t n : {65535u, 65536u, 65537u, 300'001u}) {
    std::vector<double> values(n, 0x1p-60);
    values.front() = 1.0;
    values.back() = -1.0;
    const Reference reference = reference_of(Dtype::f64, Fill::random, values);
    EXPECT_EQ(first_of<double>(reference.values), static_cast<double>(n - 2) * 0x1p-60) << n;
    EXPECT_NEAR(reference.scales.front(), std::sqrt(2.0), 1e-12) << n;
  }
}

TEST(Reduction, ExpectsIntegersModulo32Bits) {
  for (Fill fill : {Fill::random, Fill::integers}) {
    const Reference reference =
        reference_of<std::int32_t>(Dtype::i32, fill, {INT32_MAX, 1, INT32_MIN, 5, INT32_MIN});
    EXPECT_EQ(reference.dtype, Dtype::i32);
    EXPECT_EQ(first_of<std::int32_t>(reference.values), INT32_MIN + 5);
    EXPECT_TRUE(reference.scales.empty());
  }
  const Reference many =
      reference_of(Dtype::i32, Fill::random, std::vector<std::int32_t>((1 << 18) + 3, 0x10001));
  EXPECT_EQ(first_of<std::uint32_t>(many.values), ((1u << 18) + 3u) * 0x10001u);
}

TEST(Reduction, ExpectsSmallIntegersInTheBuffersOwnDtype) {
  const Reference f32 = reference_of<float>(Dtype::f32, Fill::integers, {2, -1, -1, 2, 1});
  EXPECT_EQ(f32.dtype, Dtype::f32);
  EXPECT_EQ(first_of<float>(f32.values), 3.0f);
  EXPECT_TRUE(f32.scales.empty());
  const Reference f64 = reference_of<double>(Dtype::f64, Fill::integers, {-2, -2, 1});
  EXPECT_EQ(f64.dtype, Dtype::f64);
  EXPECT_EQ(first_of<double>(f64.values), -3.0);
}

TEST(Reduction, CostsWhatTheFormulaSays) {
  const Cost f32 = reduction().cost(problem(Dtype::f32, 1000));
  EXPECT_EQ(f32.flops, 999u);
  EXPECT_EQ(f32.bytes_read, 4000u);
  EXPECT_EQ(f32.bytes_written, 4u);
  EXPECT_FALSE(f32.source.empty());
  const Cost f64 = reduction().cost(problem(Dtype::f64, std::uint64_t{1} << 31));
  EXPECT_EQ(f64.flops, (std::uint64_t{1} << 31) - 1);
  EXPECT_EQ(f64.bytes_read, std::uint64_t{1} << 34);
  EXPECT_EQ(f64.bytes_written, 8u);
  EXPECT_EQ(reduction().cost(problem(Dtype::f32, 1)).flops, 0u);
  EXPECT_EQ(reduction().cost(problem(Dtype::i32, 1000)).flops, 0u);
  EXPECT_EQ(reduction().cost(problem(Dtype::i32, 1000)).bytes_read, 4000u);
}

TEST(Reduction, PadsBuffersToSixteenBytes) {
  for (Dtype dtype : reduction().dtypes()) {
    for (std::uint64_t n : {1u, 3u, 255u, 257u, 1021u, 1u << 20}) {
      const auto specs = reduction().buffers(problem(dtype, n));
      ASSERT_EQ(specs.size(), 3u);
      EXPECT_EQ(specs[0].role, Role::in);
      EXPECT_EQ(specs[0].count(), n);
      EXPECT_EQ(specs[1].role, Role::scratch);
      EXPECT_EQ(specs[1].count(), std::min<std::uint64_t>(1056, (n + 255) / 256));
      EXPECT_EQ(specs[2].role, Role::out);
      EXPECT_EQ(specs[2].count(), 1u);
      for (const BufferSpec& spec : specs) {
        EXPECT_EQ(spec.dtype, dtype);
        EXPECT_EQ(spec.size_bytes() % 16, 0u);
        EXPECT_LT(spec.size_bytes() - spec.count() * size_bytes(dtype), 16u);
        EXPECT_FALSE(spec.free_padding);
      }
    }
  }
}

TEST(Reduction, LaunchesOneSumPerGroupThenOneGroup) {
  struct Expected {
    std::string variant;
    Dtype dtype;
    std::uint64_t n, groups;
    std::string second;
  };
  for (const Expected& e :
       std::vector<Expected>{{"tree", Dtype::f32, 1, 1, "tree"},
                             {"tree", Dtype::f64, 257, 2, "tree"},
                             {"tree", Dtype::i32, 270'336, 1056, "tree"},
                             {"tree", Dtype::f32, 1 << 20, 1056, "tree"},
                             {"vec4", Dtype::f32, 1, 1, "tree"},
                             {"vec4", Dtype::f32, 1024, 1, "tree"},
                             {"vec4", Dtype::f32, 1025, 2, "tree"},
                             {"vec4", Dtype::f64, 1021, 2, "tree"},
                             {"vec4", Dtype::i32, 1 << 20, 1024, "tree"},
                             {"vec4", Dtype::f64, 1 << 20, 1056, "tree"},
                             {"subgroup", Dtype::f32, 1025, 2, "subgroup"},
                             {"subgroup", Dtype::f32, 1 << 28, 1056, "subgroup"}}) {
    const auto steps = reduction().steps(problem(e.dtype, e.n), e.variant);
    const std::string dtype(to_string(e.dtype));
    ASSERT_EQ(steps.size(), 2u);
    EXPECT_EQ(steps[0].kernel, "reduction/" + e.variant + "/" + dtype);
    EXPECT_EQ(steps[0].groups, (Extent3{.x = static_cast<std::uint32_t>(e.groups)}));
    EXPECT_EQ(steps[0].buffers, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(first_of<std::uint32_t>(steps[0].constants), e.n);
    EXPECT_EQ(steps[1].kernel, "reduction/" + e.second + "/" + dtype);
    EXPECT_EQ(steps[1].groups, (Extent3{.x = 1}));
    EXPECT_EQ(steps[1].buffers, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(first_of<std::uint32_t>(steps[1].constants), e.groups);
    for (const Step& step : steps) {
      EXPECT_EQ(step.group_size, (Extent3{.x = 256}));
      EXPECT_EQ(step.constants.size(), 4u);
    }
  }
}

TEST(Reduction, RefusesSizesOutOfRangeAndNamesTheRange) {
  constexpr std::uint64_t kMost = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 23);
  for (std::uint64_t n : {std::uint64_t{0}, kMost + 1, ~std::uint64_t{0}}) {
    const auto error = reduction().size_error({{"n", n}});
    ASSERT_TRUE(error.has_value()) << n;
    EXPECT_NE(error->find(std::to_string(kMost)), std::string::npos) << *error;
  }
  for (std::uint64_t n : {std::uint64_t{1}, std::uint64_t{7}, kMost}) {
    EXPECT_FALSE(reduction().size_error({{"n", n}}).has_value()) << n;
  }
}

TEST(Reduction, CountsWithin32BitsUpToTheLargestSize) {
  constexpr std::uint64_t kMost = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 23);
  for (Dtype dtype : reduction().dtypes()) {
    for (const Variant& variant : reduction().variants()) {
      const Step step = reduction().steps(problem(dtype, kMost), variant.name).front();
      const bool scalar = variant.name == "tree";
      const std::uint64_t units = scalar ? kMost : kMost * size_bytes(dtype) / 16;
      const std::uint64_t unroll = scalar ? 1 : 4;
      EXPECT_LT(units + unroll * step.groups.x * 256, std::uint64_t{1} << 32) << variant.name;
    }
  }
}

TEST(Reduction, OffersTheSizesOfTheIssue) {
  const auto counts = [](Preset preset) {
    std::vector<std::uint64_t> result;
    for (const Size& size : reduction().sizes(preset)) {
      EXPECT_FALSE(reduction().size_error(size).has_value());
      result.push_back(size.front().value);
    }
    return result;
  };
  const auto has = [&](Preset preset, std::uint64_t n) {
    return std::ranges::count(counts(preset), n) == 1;
  };
  for (Preset preset : {Preset::quick, Preset::standard, Preset::full, Preset::ci}) {
    EXPECT_TRUE(std::ranges::is_sorted(counts(preset)));
    EXPECT_TRUE(std::ranges::any_of(counts(preset), [](std::uint64_t n) { return n % 2 == 1; }));
  }
  for (std::uint64_t n : {1u << 20, (1u << 24) + 1, 1u << 28}) {
    EXPECT_TRUE(has(Preset::standard, n)) << n;
  }
  for (unsigned power = 16; power <= 30; ++power) EXPECT_TRUE(has(Preset::full, 1u << power));
  EXPECT_TRUE(has(Preset::full, (1u << 24) + 1));
}

TEST(Reduction, AllowsWhatItsLongestChainOfAdditionsCanRound) {
  EXPECT_EQ(reduction().tolerance(problem(Dtype::i32, 1000)).metric, "bitwise");
  EXPECT_EQ(reduction().tolerance(problem(Dtype::i32, 1000)).limit, 0.0);
  struct Expected {
    Dtype dtype;
    std::uint64_t n, levels;
    double u;
  };
  for (const Expected& e : std::vector<Expected>{
           {Dtype::f32, 1, 1 + 2 + 8 + 1 + 8, 0x1p-24},      // vec4: one addition, a fold more
           {Dtype::f64, 1, 1 + 1 + 8 + 1 + 8, 0x1p-53},      // two components to fold
           {Dtype::f32, 1 << 20, 4 + 8 + 5 + 8, 0x1p-24},    // 1056 groups of 256 lanes
           {Dtype::f32, 1 << 28, 993 + 8 + 5 + 8, 0x1p-24},  // 2^28 / 270,336 = 992.97
           {Dtype::f64, 1 << 28, 993 + 8 + 5 + 8, 0x1p-53}}) {
    const Tolerance tolerance = reduction().tolerance(problem(e.dtype, e.n));
    EXPECT_EQ(tolerance.metric, "scaled_error");
    EXPECT_DOUBLE_EQ(tolerance.limit, 6 * e.u * std::sqrt(static_cast<double>(e.levels))) << e.n;
    EXPECT_EQ(tolerance.rms_limit, tolerance.limit);
  }
}

template <typename T>
double error_of(const Reference& reference, T actual) {
  return std::abs(static_cast<double>(actual) - first_of<double>(reference.values)) /
         reference.scales.front();
}

template <typename T>
void check_limit_separates(Dtype dtype) {
  const std::size_t n = 1 << 20;
  const auto values = uniform<T>(n, 11);
  const Reference reference = reference_of(dtype, Fill::random, values);
  const double limit = reduction().tolerance(problem(dtype, n)).limit;
  for (const char* variant : {"tree", "vec4"}) {
    const T sum = sum_on_host(dtype, variant, values);
    EXPECT_LT(error_of(reference, sum), limit / 4) << variant;

    // Without its one element, or one group's share, the same sum must fail.
    for (std::size_t i : {std::size_t{0}, n / 3, n - 1}) {
      ASSERT_GT(std::abs(values[i]), 0.01) << "not of typical size";
      auto dropped = values;
      dropped[i] = 0;
      EXPECT_GT(error_of(reference, sum_on_host(dtype, variant, dropped)), limit) << i;
    }
    const Step step = reduction().steps(problem(dtype, n), variant).front();
    const std::size_t row = 256 * (std::string_view(variant) == "tree" ? 1 : 16 / sizeof(T));
    auto dropped = values;
    for (std::size_t i = 0; i < n; ++i) {
      if (i / row % step.groups.x == 17) dropped[i] = 0;
    }
    EXPECT_GT(error_of(reference, sum_on_host(dtype, variant, dropped)), limit) << variant;
  }
}

TEST(Reduction, LimitTellsRoundingFromALostElementInF32) {
  check_limit_separates<float>(Dtype::f32);
}
TEST(Reduction, LimitTellsRoundingFromALostElementInF64) {
  check_limit_separates<double>(Dtype::f64);
}

TEST(Reduction, LimitTellsDoublesFromFloats) {
  const auto values = uniform<double>(1 << 20, 12);
  const Reference reference = reference_of(Dtype::f64, Fill::random, values);
  const std::vector<float> rounded(values.begin(), values.end());
  const float sum = sum_on_host(Dtype::f32, "vec4", rounded);
  EXPECT_GT(error_of(reference, sum), reduction().tolerance(problem(Dtype::f64, 1 << 20)).limit);
}

template <typename T>
void check_every_odd_size(Dtype dtype) {
  for (std::size_t n = 1; n < 1100; n += 2) {
    const auto values = small_integers<T>(n);
    const T expected = std::accumulate(values.begin(), values.end(), T{0});
    for (const char* variant : {"tree", "vec4"}) {
      ASSERT_EQ(sum_on_host(dtype, variant, values), expected) << variant << " n=" << n;
    }
  }
}

TEST(Reduction, SumsEveryOddSizeOfF32OnTheHost) { check_every_odd_size<float>(Dtype::f32); }
TEST(Reduction, SumsEveryOddSizeOfF64OnTheHost) { check_every_odd_size<double>(Dtype::f64); }
TEST(Reduction, SumsEveryOddSizeOfI32OnTheHost) { check_every_odd_size<std::int32_t>(Dtype::i32); }

TEST(Reduction, SumsWithMoreThanOneElementPerAccumulatorOnTheHost) {
  // Past four steps of the whole grid in sixteen-byte units, and no multiple of anything.
  const auto values = small_integers<float>(1056 * 256 * 4 * 4 + 1027);
  const float expected = std::accumulate(values.begin(), values.end(), 0.0f);
  for (const char* variant : {"tree", "vec4"}) {
    EXPECT_EQ(sum_on_host(Dtype::f32, variant, values), expected) << variant;
  }
}

TEST(Reduction, HasNoSubgroupsOnTheHost) {
  EXPECT_EQ(find_host_kernel("reduction/subgroup/f32"), nullptr);
}

}  // namespace
}  // namespace parallax
