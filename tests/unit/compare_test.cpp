#include "workloads/compare.hpp"

#include <gtest/gtest.h>

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

// Digests are compared between files: the value is part of the format.
TEST(Digest, IsTheSameOnEveryMachine) {
  std::vector<std::byte> bytes(40);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  EXPECT_EQ(digest(bytes), digest(bytes));
  EXPECT_EQ(digest(std::span(bytes).first(0)), digest({}));
}

}  // namespace
}  // namespace parallax
