#include "workloads/inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <type_traits>

#include "workloads/half.hpp"

namespace parallax {
namespace {

Bytes random_bytes(Dtype dtype, std::uint64_t seed, std::uint32_t stream, std::size_t size) {
  Bytes bytes(size);
  fill_input(dtype, Fill::random, seed, stream, bytes);
  return bytes;
}

template <typename T>
std::vector<T> values(Dtype dtype, std::size_t count, std::uint64_t seed = 1,
                      std::uint32_t stream = 0) {
  const auto bytes = random_bytes(dtype, seed, stream, count * sizeof(T));
  std::vector<T> out(count);
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

/// Bits of entropy per byte, from counts of single bytes.
double entropy(std::span<const std::byte> bytes) {
  std::array<std::size_t, 256> counts{};
  for (std::byte b : bytes) ++counts[std::to_integer<std::size_t>(b)];
  double bits = 0.0;
  for (std::size_t count : counts) {
    if (count == 0) continue;
    const double p = static_cast<double>(count) / static_cast<double>(bytes.size());
    bits -= p * std::log2(p);
  }
  return bits;
}

/// The first values of a stream, computed by hand from the published generator.
TEST(FillRandom, GivesTheGoldenBytes) {
  const auto first = [](std::uint64_t seed, std::uint32_t stream) {
    return values<std::uint32_t>(Dtype::i32, 4, seed, stream);
  };
  using Words = std::vector<std::uint32_t>;
  EXPECT_EQ(first(1, 0), (Words{0xb18a02f4, 0xf8c5b62c, 0x6d339d17, 0xce639a27}));
  EXPECT_EQ(first(1, 1), (Words{0x9edbe9bd, 0x7d8e67d8, 0x76e36d62, 0x8e1e6eac}));
  EXPECT_EQ(first(12345, 2), (Words{0xe5259aa3, 0x139fce05, 0x3ce6efaa, 0x5033dedb}));
}

TEST(FillRandom, IsTheSameWhateverTheLength) {
  for (Dtype dtype : kDtypes) {
    const auto long_run = random_bytes(dtype, 7, 2, 1 << 20);
    const auto short_run = random_bytes(dtype, 7, 2, 1000);
    EXPECT_TRUE(std::equal(short_run.begin(), short_run.end(), long_run.begin()));
  }
}

TEST(FillRandom, TellsSeedsAndStreamsApart) {
  for (Dtype dtype : kDtypes) {
    const auto base = random_bytes(dtype, 1, 0, 4096);
    EXPECT_EQ(base, random_bytes(dtype, 1, 0, 4096));
    EXPECT_NE(base, random_bytes(dtype, 2, 0, 4096));
    EXPECT_NE(base, random_bytes(dtype, 1, 1, 4096));
    EXPECT_NE(random_bytes(dtype, 1, 1, 4096), random_bytes(dtype, 2, 0, 4096));
  }
}

TEST(FillRandom, GivesFloatsBetweenMinusOneAndOne) {
  double sum = 0.0;
  for (float v : values<float>(Dtype::f32, 1 << 16)) {
    ASSERT_TRUE(v >= -1.0f && v <= 1.0f) << v;
    sum += v;
  }
  EXPECT_LT(std::abs(sum / (1 << 16)), 0.02);
  for (double v : values<double>(Dtype::f64, 1 << 16)) ASSERT_TRUE(v >= -1.0 && v <= 1.0) << v;
}

TEST(FillRandom, UsesEveryMantissaBit) {
  std::uint32_t ones32 = 0, zeros32 = 0;
  for (auto v : values<std::uint32_t>(Dtype::f32, 1 << 12)) ones32 |= v, zeros32 |= ~v;
  EXPECT_EQ(ones32 & 0x7fffffu, 0x7fffffu);
  EXPECT_EQ(zeros32 & 0x7fffffu, 0x7fffffu);
  std::uint64_t ones64 = 0, zeros64 = 0;
  for (auto v : values<std::uint64_t>(Dtype::f64, 1 << 12)) ones64 |= v, zeros64 |= ~v;
  EXPECT_EQ(ones64 & 0xfffffffffffffu, 0xfffffffffffffu);
  EXPECT_EQ(zeros64 & 0xfffffffffffffu, 0xfffffffffffffu);
}

TEST(FillRandom, GivesEveryByteEquallyOften) {
  std::map<int, int> counts;
  for (auto v : values<std::int8_t>(Dtype::i8, 1 << 16)) ++counts[v];
  EXPECT_EQ(counts.size(), 256u);
  for (const auto& [value, count] : counts) EXPECT_NEAR(count, 256, 100) << value;
}

TEST(FillRandom, SpreadsIntegersOverTheWholeType) {
  std::int32_t least = 0, most = 0;
  for (auto v : values<std::int32_t>(Dtype::i32, 1 << 12)) {
    least = std::min(least, v);
    most = std::max(most, v);
  }
  EXPECT_LT(least, -2'000'000'000);
  EXPECT_GT(most, 2'000'000'000);
}

TEST(FillRandom, KeepsHalvesOnAGridWhereSumsAreExact) {
  const auto a = values<Half>(Dtype::f16, 1 << 14, 1, 0);
  const auto b = values<Half>(Dtype::f16, 1 << 14, 1, 1);
  bool negative = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<float>(a[i]);
    const auto y = static_cast<float>(b[i]);
    ASSERT_EQ(x * 1024.0f, std::floor(x * 1024.0f)) << x;
    ASSERT_TRUE(x >= -1.0f && x < 1.0f) << x;
    ASSERT_EQ(static_cast<float>(Half(x + y)), x + y) << x << " + " << y;
    negative |= x < 0.0f;
  }
  EXPECT_TRUE(negative);
}

/// Every `width`-th byte from `first` on.
Bytes every_nth(std::span<const std::byte> bytes, std::size_t first, std::size_t width) {
  Bytes lane;
  for (std::size_t i = first; i < bytes.size(); i += width) lane.push_back(bytes[i]);
  return lane;
}

// C05: a GPU that compresses its memory traffic finds nothing in it to save.
TEST(FillRandom, C05_IsIncompressible) {
  for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::i8, Dtype::i32}) {
    SCOPED_TRACE(to_string(dtype));
    const std::size_t width = size_bytes(dtype);
    const auto bytes = random_bytes(dtype, 3, 0, std::size_t{1} << 20);
    // What the best code of single bytes saves, by place in the element. Numbers spread evenly over
    // [-1, 1] share few exponents, in their last two bytes; all else is noise.
    double saved_bits = 0.0;
    for (std::size_t place = 0; place < width; ++place) {
      const double bits = entropy(every_nth(bytes, place, width));
      saved_bits += 8.0 - bits;
      const bool exponent = (dtype == Dtype::f32 || dtype == Dtype::f64) && place + 2 >= width;
      EXPECT_GT(bits, exponent ? 0.99 : 7.99) << place;
    }
    const double saved = saved_bits / (8.0 * static_cast<double>(width));
    EXPECT_LT(saved, dtype == Dtype::f32 ? 0.18 : dtype == Dtype::f64 ? 0.15 : 0.001);
    // And no block repeats: 16-byte blocks of a megabyte are all different.
    std::vector<std::array<std::byte, 16>> blocks(bytes.size() / 16);
    std::memcpy(blocks.data(), bytes.data(), bytes.size());
    std::ranges::sort(blocks);
    EXPECT_EQ(std::ranges::adjacent_find(blocks), blocks.end());
  }
  // f16 has 2048 values, 11 bits of 16.
  const auto f16 = values<std::uint16_t>(Dtype::f16, 1 << 16);
  std::vector<bool> seen(1 << 16);
  for (auto v : f16) seen[v] = true;
  EXPECT_GT(std::ranges::count(seen, true), 2000);
}

// Neither neighbours nor distant elements tell of each other.
TEST(FillRandom, C05_HasNoSmallDifferences) {
  for (std::size_t distance : {1u, 2u, 4u, 32u, 1024u}) {
    const auto words = values<std::uint32_t>(Dtype::i32, 1 << 18);
    std::vector<std::uint32_t> differences;
    for (std::size_t i = distance; i < words.size(); ++i) {
      differences.push_back(words[i] - words[i - distance]);
    }
    EXPECT_GT(entropy(std::as_bytes(std::span(differences))), 7.99) << distance;
  }
}

TEST(IsRandom, KnowsItsOwnBytesAndNoOthers) {
  for (Dtype dtype : kDtypes) {
    for (std::size_t size : {8u, 1000u, 1u << 20}) {
      Bytes bytes = random_bytes(dtype, 4, 2, size);
      EXPECT_TRUE(is_input(dtype, Fill::random, 4, 2, bytes));
      EXPECT_FALSE(is_input(dtype, Fill::random, 5, 2, bytes));
      EXPECT_FALSE(is_input(dtype, Fill::random, 4, 3, bytes));
      for (std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
        bytes[at] ^= std::byte{1};
        EXPECT_FALSE(is_input(dtype, Fill::random, 4, 2, bytes))
            << to_string(dtype) << " byte " << at;
        bytes[at] ^= std::byte{1};
      }
    }
  }
}

TEST(MakeInputs, FillsThePaddingTooAndCountsAllBuffers) {
  const std::vector<BufferSpec> specs = {
      {.name = "c", .role = Role::out, .columns = 5, .pitch = 8},
      {.name = "a", .role = Role::in, .rows = 2, .columns = 5, .pitch = 8}};
  const std::vector<Bytes> inputs = make_inputs(specs, Fill::random, 9);
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_EQ(inputs.front().size(), 64u);
  EXPECT_EQ(inputs.front(), random_bytes(Dtype::f32, 9, 1, 64));
}

TEST(FillInput, IntegersAreSmallAndNeverZero) {
  const auto counts_of = [](Dtype dtype, auto to_double) {
    Bytes bytes(4096 * size_bytes(dtype));
    fill_input(dtype, Fill::integers, 3, 0, bytes);
    std::map<double, int> counts;
    for (std::size_t i = 0; i < 4096; ++i) {
      ++counts[to_double(bytes.data() + i * size_bytes(dtype))];
    }
    EXPECT_TRUE(is_input(dtype, Fill::integers, 3, 0, bytes));
    EXPECT_FALSE(is_input(dtype, Fill::random, 3, 0, bytes));
    return counts;
  };
  const auto as = [](auto value) {
    return [value](const std::byte* at) mutable {
      std::memcpy(&value, at, sizeof value);
      if constexpr (std::is_same_v<decltype(value), Half>)
        return double{static_cast<float>(value)};
      else
        return static_cast<double>(value);
    };
  };
  for (const auto& counts :
       {counts_of(Dtype::f16, as(Half{})), counts_of(Dtype::f32, as(0.0f)),
        counts_of(Dtype::f64, as(0.0)), counts_of(Dtype::i8, as(std::int8_t{})),
        counts_of(Dtype::i32, as(std::int32_t{}))}) {
    ASSERT_EQ(counts.size(), 4u);
    for (const auto& [value, count] : counts) {
      EXPECT_TRUE(value == -2 || value == -1 || value == 1 || value == 2) << value;
      EXPECT_GT(count, 800) << value;
    }
  }
}

}  // namespace
}  // namespace parallax
