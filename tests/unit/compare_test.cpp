#include "workloads/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <stdexcept>

#include "workloads/inputs.hpp"

namespace parallax {
namespace {

constexpr Tolerance kBitwise = {.metric = "bitwise"};

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Reference reference_of(const std::vector<float>& values, std::vector<Range> ranges = {}) {
  if (ranges.empty()) ranges = {{.first = 0, .count = values.size()}};
  return {.buffer = 2,
          .dtype = Dtype::f32,
          .ranges = std::move(ranges),
          .values = bytes_of(values),
          .scales = {}};
}

Verdict check(const std::vector<float>& expected, const std::vector<float>& actual) {
  return compare(reference_of(expected), kBitwise, Dtype::f32, bytes_of(actual));
}

TEST(Compare, AcceptsEqualBits) {
  const Verdict verdict = check({1.0f, -2.5f, 0.0f}, {1.0f, -2.5f, 0.0f});
  EXPECT_TRUE(verdict.ok);
  EXPECT_EQ(verdict.metric, "bitwise");
  EXPECT_EQ(verdict.checked, 3u);
  EXPECT_EQ(verdict.worst, 0.0);
  EXPECT_EQ(verdict.limit, 0.0);
  EXPECT_TRUE(verdict.detail.empty());
}

TEST(Compare, CountsAndNamesTheFirstDifference) {
  const Verdict verdict = check({1, 2, 3, 4, 5}, {1, 2, 9, 4, 8});
  EXPECT_FALSE(verdict.ok);
  EXPECT_EQ(verdict.checked, 5u);
  EXPECT_EQ(verdict.worst, 2.0);
  EXPECT_EQ(verdict.at, 2u);
  EXPECT_NE(verdict.detail.find('9'), std::string::npos) << verdict.detail;
  EXPECT_NE(verdict.detail.find('3'), std::string::npos) << verdict.detail;
  EXPECT_EQ(verdict.detail.find('\n'), std::string::npos);
}

TEST(Compare, SeesTheLastBitOfTheLastElement) {
  const float next = std::nextafter(1.0f, 2.0f);
  const Verdict verdict = check({0, 0, 1.0f}, {0, 0, next});
  EXPECT_FALSE(verdict.ok);
  EXPECT_EQ(verdict.at, 2u);
}

TEST(Compare, TellsZerosApart) { EXPECT_FALSE(check({0.0f}, {-0.0f}).ok); }

TEST(Compare, NeverPassesNanForANumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(check({1.0f, 2.0f}, {1.0f, nan}).ok);
  EXPECT_FALSE(check({1.0f}, {std::numeric_limits<float>::infinity()}).ok);
}

// The header promises it without exception: an output that is NaN is no result, even where the
// reference is NaN too.
TEST(Compare, NeverPassesNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(check({nan}, {nan}).ok);
}

TEST(Compare, LooksOnlyAtItsRangesButAtAllOfThem) {
  const std::vector<float> output = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Reference good = reference_of({2, 3, 7, 8}, {{2, 2}, {7, 2}});
  const Verdict ok = compare(good, kBitwise, Dtype::f32, bytes_of(output));
  EXPECT_TRUE(ok.ok);
  EXPECT_EQ(ok.checked, 4u);
  const Reference bad = reference_of({2, 3, 7, 80}, {{2, 2}, {7, 2}});
  const Verdict failed = compare(bad, kBitwise, Dtype::f32, bytes_of(output));
  EXPECT_FALSE(failed.ok);
  EXPECT_EQ(failed.at, 8u);
  EXPECT_EQ(failed.worst, 1.0);
}

TEST(Compare, FindsTheFirstOfManyDifferencesAcrossThreads) {
  std::vector<float> expected(1 << 20, 1.0f);
  std::vector<float> actual = expected;
  for (std::size_t i : {500'000u, 700'000u, 1'048'575u}) actual[i] = 2.0f;
  const Verdict verdict = check(expected, actual);
  EXPECT_FALSE(verdict.ok);
  EXPECT_EQ(verdict.at, 500'000u);
  EXPECT_EQ(verdict.worst, 3.0);
  EXPECT_EQ(verdict.checked, 1u << 20);
}

TEST(Compare, CountsElementsOfEveryWidth) {
  for (Dtype dtype : kDtypes) {
    const std::uint64_t width = size_bytes(dtype);
    Bytes bytes(10 * width);
    fill_input(dtype, Fill::random, 1, 0, bytes);
    const Reference reference{
        .buffer = 0, .dtype = dtype, .ranges = {{0, 10}}, .values = bytes, .scales = {}};
    EXPECT_TRUE(compare(reference, kBitwise, dtype, bytes).ok);
    bytes[6 * width + width - 1] ^= std::byte{1};
    const Verdict verdict = compare(reference, kBitwise, dtype, bytes);
    EXPECT_FALSE(verdict.ok) << to_string(dtype);
    EXPECT_EQ(verdict.at, 6u) << to_string(dtype);
    EXPECT_EQ(verdict.worst, 1.0) << to_string(dtype);
  }
}

TEST(Compare, RefusesAnUnknownMetric) {
  const auto bytes = bytes_of(std::vector<float>{1.0f});
  EXPECT_THROW(compare(reference_of({1.0f}), {.metric = "vibes", .limit = 1.0}, Dtype::f32, bytes),
               std::invalid_argument);
}

constexpr Tolerance kScaled = {.metric = "scaled_error", .limit = 0.5, .rms_limit = 0.25};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Reference scaled_reference(const std::vector<double>& values, std::vector<double> scales,
                           std::vector<Range> ranges = {}) {
  if (ranges.empty()) ranges = {{.first = 0, .count = values.size()}};
  return {.buffer = 2,
          .dtype = Dtype::f64,
          .ranges = std::move(ranges),
          .values = bytes_of(values),
          .scales = std::move(scales)};
}

Verdict check_scaled(const std::vector<double>& expected, const std::vector<double>& scales,
                     const std::vector<float>& actual, const Tolerance& tolerance = kScaled) {
  return compare(scaled_reference(expected, scales), tolerance, Dtype::f32, bytes_of(actual));
}

TEST(ScaledError, IsTheDistanceOverTheScale) {
  // Errors of 0, 1/4, 1/8 and 0: a root mean square of sqrt(5/64 / 4).
  const Verdict verdict = check_scaled({1, 2, -3, 4}, {1, 2, 4, 1}, {1.0f, 2.5f, -3.5f, 4.0f});
  EXPECT_TRUE(verdict.ok);
  EXPECT_EQ(verdict.metric, "scaled_error");
  EXPECT_EQ(verdict.checked, 4u);
  EXPECT_DOUBLE_EQ(verdict.worst, 0.25);
  EXPECT_DOUBLE_EQ(verdict.rms, std::sqrt(5.0 / 64 / 4));
  EXPECT_EQ(verdict.at, 1u);
  EXPECT_EQ(verdict.limit, 0.5);
  EXPECT_EQ(verdict.rms_limit, 0.25);
  EXPECT_TRUE(verdict.detail.empty());
}

TEST(ScaledError, IsZeroForExactValues) {
  const Verdict verdict = check_scaled({1, -2}, {1, 1}, {1.0f, -2.0f}, {.metric = "scaled_error"});
  EXPECT_TRUE(verdict.ok);
  EXPECT_EQ(verdict.worst, 0.0);
  EXPECT_EQ(verdict.rms, 0.0);
}

TEST(ScaledError, FailsByTheWorstElementAlone) {
  std::vector<float> actual(100, 1.0f);
  actual[70] = 2.0f;
  const std::vector<double> ones(100, 1.0);
  const Verdict verdict = check_scaled(ones, ones, actual);
  EXPECT_FALSE(verdict.ok);
  EXPECT_EQ(verdict.worst, 1.0);
  EXPECT_DOUBLE_EQ(verdict.rms, 0.1);
  EXPECT_LT(verdict.rms, verdict.rms_limit);
  EXPECT_EQ(verdict.at, 70u);
  EXPECT_EQ(verdict.detail,
            "scaled error 1 of at most 0.5, rms 0.1 of at most 0.25; element 70 is 2, expected 1");
}

TEST(ScaledError, FailsByTheRootMeanSquareAlone) {
  const std::vector<double> ones(100, 1.0);
  const Verdict verdict = check_scaled(ones, ones, std::vector<float>(100, 1.375f));
  EXPECT_FALSE(verdict.ok);
  EXPECT_EQ(verdict.worst, 0.375);
  EXPECT_LT(verdict.worst, verdict.limit);
  EXPECT_DOUBLE_EQ(verdict.rms, 0.375);
  EXPECT_EQ(verdict.at, 0u) << "the first of equally bad ones";
  EXPECT_EQ(verdict.detail.find('\n'), std::string::npos);
}

TEST(ScaledError, AllowsWhatIsExactlyAtBothLimits) {
  const Tolerance tight = {.metric = "scaled_error", .limit = 0.5, .rms_limit = 0.5};
  EXPECT_TRUE(check_scaled({1, 1}, {1, 1}, {1.5f, 0.5f}, tight).ok);
  EXPECT_FALSE(check_scaled({1, 1}, {1, 1}, {1.5f, std::nextafter(0.5f, 0.0f)}, tight).ok);
}

TEST(ScaledError, NeverPassesNanOrInfinityAnywhere) {
  const Tolerance lax = {.metric = "scaled_error", .limit = 1e300, .rms_limit = 1e300};
  const auto nan = static_cast<float>(kNan), infinity = static_cast<float>(kInfinity);
  for (std::size_t size : {1u, 3u, 200'000u}) {
    const std::vector<double> ones(size, 1.0);
    EXPECT_TRUE(check_scaled(ones, ones, std::vector<float>(size, 1.0f), lax).ok);
    for (std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      for (float bad : {nan, -nan, infinity, -infinity}) {
        std::vector<float> actual(size, 1.0f);
        actual[at] = bad;
        const Verdict verdict = check_scaled(ones, ones, actual, lax);
        EXPECT_FALSE(verdict.ok) << bad << " at " << at << " of " << size;
        EXPECT_EQ(verdict.worst, kInfinity);
        EXPECT_EQ(verdict.at, at);
      }
    }
  }
  // Not even where the same is expected, nor with a scale that is no number.
  for (double same : {kNan, kInfinity}) {
    EXPECT_FALSE(check_scaled({same}, {1}, {static_cast<float>(same)}, lax).ok) << same;
  }
  EXPECT_FALSE(check_scaled({1}, {kNan}, {1.5f}, lax).ok);
}

TEST(ScaledError, TakesOnlyTheExactValueWhereTheScaleIsZero) {
  const Tolerance lax = {.metric = "scaled_error", .limit = 1e300, .rms_limit = 1e300};
  EXPECT_TRUE(check_scaled({0, 1}, {0, 1}, {0.0f, 1.0f}, lax).ok);
  EXPECT_TRUE(check_scaled({0}, {0}, {-0.0f}, lax).ok);
  const Verdict verdict = check_scaled({1, 0}, {1, 0}, {1.0f, 0x1p-149f}, lax);
  EXPECT_FALSE(verdict.ok);
  EXPECT_EQ(verdict.worst, kInfinity);
  EXPECT_EQ(verdict.at, 1u);
}

TEST(ScaledError, ReadsDoubles) {
  const Reference reference = scaled_reference({1, 1}, {1, 1});
  const Tolerance tight = {.metric = "scaled_error", .limit = 0x1p-52, .rms_limit = 0x1p-52};
  const double next = std::nextafter(1.0, 2.0);
  const Verdict near = compare(reference, tight, Dtype::f64, bytes_of(std::vector{1.0, next}));
  EXPECT_TRUE(near.ok);
  EXPECT_EQ(near.worst, 0x1p-52);
  EXPECT_EQ(near.at, 1u);
  const Verdict far =
      compare(reference, tight, Dtype::f64, bytes_of(std::vector{1.0, std::nextafter(next, 2.0)}));
  EXPECT_FALSE(far.ok);
  EXPECT_FALSE(compare(reference, tight, Dtype::f64, bytes_of(std::vector{1.0, kNan})).ok);
}

TEST(ScaledError, LooksOnlyAtItsRangesAndCountsElementsOfTheWholeBuffer) {
  // Rows of three in a pitch of four; rows 1 and 3 of four are checked.
  std::vector<float> output(16, static_cast<float>(kNan));
  for (std::size_t i : {4u, 5u, 6u, 12u, 13u, 14u}) output[i] = static_cast<float>(i);
  const std::vector<double> values = {4, 5, 6, 12, 13, 14};
  const std::vector<double> scales = {1, 1, 1, 2, 4, 8};
  const Reference good = scaled_reference(values, scales, {{4, 3}, {12, 3}});
  const Verdict ok = compare(good, kScaled, Dtype::f32, bytes_of(output));
  EXPECT_TRUE(ok.ok) << ok.detail;
  EXPECT_EQ(ok.checked, 6u);

  output[13] += 3;  // an error of 3/4
  output[14] += 4;  // of 1/2
  const Verdict bad = compare(good, kScaled, Dtype::f32, bytes_of(output));
  EXPECT_FALSE(bad.ok);
  EXPECT_DOUBLE_EQ(bad.worst, 0.75);
  EXPECT_DOUBLE_EQ(bad.rms, std::sqrt((0.5625 + 0.25) / 6));
  EXPECT_EQ(bad.at, 13u);
  EXPECT_NE(bad.detail.find("element 13 is 16, expected 13"), std::string::npos) << bad.detail;
}

TEST(ScaledError, FindsTheFirstOfTheWorstAcrossThreads) {
  const std::vector<double> ones(1 << 20, 1.0);
  std::vector<float> actual(1 << 20, 1.0f);
  for (std::size_t i : {500'000u, 700'000u, 1'048'575u}) actual[i] = 2.0f;
  actual[3] = 1.5f;
  const Verdict verdict = check_scaled(ones, ones, actual);
  EXPECT_FALSE(verdict.ok);
  EXPECT_EQ(verdict.at, 500'000u);
  EXPECT_EQ(verdict.worst, 1.0);
  EXPECT_EQ(verdict.checked, 1u << 20);
  EXPECT_DOUBLE_EQ(verdict.rms, std::sqrt(3.25 / (1 << 20)));
}

TEST(ScaledError, PassesNothingWhereNothingWasChecked) {
  const Reference empty{.buffer = 2, .dtype = Dtype::f64, .ranges = {}, .values = {}, .scales = {}};
  EXPECT_FALSE(compare(empty, kScaled, Dtype::f32, bytes_of(std::vector<float>{1.0f})).ok);
}

TEST(Compare, RefusesAMetricThatDoesNotFitTheDtypes) {
  const Bytes bytes(64);
  const auto compared = [&](const char* metric, Dtype reference, Dtype output) {
    const Reference of{
        .buffer = 2, .dtype = reference, .ranges = {{0, 1}}, .values = Bytes(8), .scales = {1.0}};
    return compare(of, {.metric = metric, .limit = 1.0, .rms_limit = 1.0}, output, bytes);
  };
  for (Dtype output : {Dtype::f16, Dtype::i8, Dtype::i32}) {
    EXPECT_THROW(compared("scaled_error", Dtype::f64, output), std::invalid_argument);
  }
  EXPECT_THROW(compared("scaled_error", Dtype::f32, Dtype::f32), std::invalid_argument);
  EXPECT_THROW(compared("bitwise", Dtype::f64, Dtype::f32), std::invalid_argument);
  EXPECT_THROW(compared("bitwise", Dtype::f32, Dtype::i32), std::invalid_argument);
  EXPECT_THROW(compared("", Dtype::f32, Dtype::f32), std::invalid_argument);
  try {
    compared("bitwise", Dtype::f64, Dtype::f32);
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "no metric bitwise for f32 against f64");
  }
}

TEST(Digest, ChangesWithAnyByte) {
  for (std::size_t size : {1u, 7u, 31u, 32u, 33u, 64u, 200u}) {
    std::vector<std::byte> bytes(size);
    fill_input(Dtype::f16, Fill::random, 1, 0, bytes);
    std::set<std::uint64_t> seen = {digest(bytes)};
    for (std::size_t i = 0; i < size; ++i) {
      for (std::byte bit : {std::byte{1}, std::byte{0x80}}) {
        bytes[i] ^= bit;
        EXPECT_TRUE(seen.insert(digest(bytes)).second) << size << " byte " << i;
        bytes[i] ^= bit;
      }
    }
    EXPECT_EQ(seen.size(), 1 + 2 * size);
  }
}

TEST(Digest, ChangesWithOrderAndLength) {
  std::vector<std::byte> bytes(96);
  fill_input(Dtype::i32, Fill::random, 1, 0, bytes);
  const std::uint64_t before = digest(bytes);
  std::vector<std::byte> swapped = bytes;
  std::swap_ranges(swapped.begin(), swapped.begin() + 8, swapped.begin() + 8);
  EXPECT_NE(digest(swapped), before);
  std::vector<std::byte> blocks = bytes;
  std::swap_ranges(blocks.begin(), blocks.begin() + 32, blocks.begin() + 32);
  EXPECT_NE(digest(blocks), before);
  EXPECT_NE(digest(std::vector<std::byte>(1)), digest(std::vector<std::byte>(2)));
  EXPECT_NE(digest(std::vector<std::byte>(32)), digest(std::vector<std::byte>(64)));
}

/// A buffer of random elements whose padding holds `padding`.
Bytes matrix(const BufferSpec& spec, std::byte padding) {
  const std::uint64_t width = size_bytes(spec.dtype);
  Bytes elements(spec.count() * width);
  fill_input(spec.dtype, Fill::random, 1, 0, elements);
  Bytes bytes(spec.size_bytes());
  std::ranges::fill(bytes, padding);
  for (std::uint64_t row = 0; row < spec.rows; ++row) {
    std::memcpy(bytes.data() + row * spec.pitch * width,
                elements.data() + row * spec.columns * width, spec.columns * width);
  }
  return bytes;
}

BufferSpec spec_of(Dtype dtype, std::uint64_t rows, std::uint64_t columns) {
  return {.name = "c",
          .role = Role::out,
          .dtype = dtype,
          .rows = rows,
          .columns = columns,
          .pitch = padded_pitch(columns, dtype)};
}

TEST(DigestOfABuffer, IgnoresPaddingAndSeesEveryElement) {
  for (Dtype dtype : kDtypes) {
    for (const auto& [rows, columns] :
         {std::pair{1u, 5u}, {3u, 5u}, {3u, 16u}, {130u, 3u}, {1u, 1u}, {7u, 1u}}) {
      const BufferSpec spec = spec_of(dtype, rows, columns);
      const std::uint64_t width = size_bytes(dtype);
      Bytes bytes = matrix(spec, std::byte{0});
      std::set<std::uint64_t> seen = {digest(spec, bytes)};
      EXPECT_TRUE(seen.contains(digest(spec, matrix(spec, std::byte{0xff}))));
      for (std::uint64_t i = 0; i < spec.count(); ++i) {
        const std::uint64_t at = (i / columns * spec.pitch + i % columns) * width;
        bytes[at + i % width] ^= std::byte{0x80};
        EXPECT_TRUE(seen.insert(digest(spec, bytes)).second)
            << to_string(dtype) << " element " << i << " of " << rows << "x" << columns;
        bytes[at + i % width] ^= std::byte{0x80};
      }
      EXPECT_EQ(seen.size(), spec.count() + 1);
    }
  }
}

TEST(DigestOfABuffer, IgnoresTheGuardBehindTheElements) {
  for (const BufferSpec& spec :
       {spec_of(Dtype::f32, 1, 5), spec_of(Dtype::f32, 4, 5), spec_of(Dtype::f32, 4, 8)}) {
    const Bytes bytes = matrix(spec, std::byte{0});
    Bytes longer = bytes;
    longer.insert(longer.end(), 64, std::byte{0xab});
    EXPECT_EQ(digest(spec, longer), digest(spec, bytes));
  }
}

TEST(DigestOfABuffer, ChangesWithTheOrderOfRowsAndWithTheShape) {
  const BufferSpec spec = spec_of(Dtype::f32, 300, 5);
  const Bytes bytes = matrix(spec, std::byte{0});
  const std::uint64_t row = spec.pitch * sizeof(float);
  for (std::uint64_t other : {1u, 4u, 299u}) {
    Bytes swapped = bytes;
    std::swap_ranges(swapped.begin(), swapped.begin() + row, swapped.begin() + other * row);
    EXPECT_NE(digest(spec, swapped), digest(spec, bytes)) << other;
  }
  const Bytes zeros(std::size_t{4} * 4 * 16);
  EXPECT_NE(digest(spec_of(Dtype::f32, 2, 7), zeros), digest(spec_of(Dtype::f32, 7, 2), zeros));
}

// Digests are compared between files: the value is part of the format.
TEST(Digest, IsTheSameOnEveryMachine) {
  std::vector<std::byte> bytes(40);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  EXPECT_EQ(digest(bytes), digest(bytes));
  EXPECT_EQ(digest(std::span(bytes).first(0)), digest({}));
}

}  // namespace
}  // namespace parallax
