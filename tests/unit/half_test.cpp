#include "workloads/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace parallax {
namespace {

/// Value of half bits by the definition of the format.
double value_of(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0x1f) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

/// Nearest half to a non-negative finite number, ties to even, by looking at both neighbours.
std::uint16_t nearest_half(double magnitude) {
  if (magnitude >= 65520.0) return 0x7c00;
  std::uint16_t low = 0;
  std::uint16_t high = 0x7bff;
  if (magnitude >= value_of(high)) return high;
  while (high - low > 1) {
    const auto middle = static_cast<std::uint16_t>((low + high) / 2);
    (value_of(middle) <= magnitude ? low : high) = middle;
  }
  const double below = magnitude - value_of(low);
  const double above = value_of(high) - magnitude;
  if (below == above) return low % 2 == 0 ? low : high;
  return below < above ? low : high;
}

TEST(Half, ReadsEveryPattern) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto half = std::bit_cast<Half>(static_cast<std::uint16_t>(bits));
    const double expected = value_of(static_cast<std::uint16_t>(bits));
    const auto actual = static_cast<float>(half);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(actual)) << bits;
    } else {
      ASSERT_EQ(actual, expected) << bits;
      ASSERT_EQ(std::signbit(actual), std::signbit(expected)) << bits;
    }
  }
}

TEST(Half, GivesEveryPatternBack) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto half = std::bit_cast<Half>(static_cast<std::uint16_t>(bits));
    const Half back(static_cast<float>(half));
    if (std::isnan(static_cast<float>(half))) {
      ASSERT_TRUE(std::isnan(static_cast<float>(back))) << bits;
    } else {
      ASSERT_EQ(back.bits(), bits);
    }
  }
}

TEST(Half, RoundsToNearestEvenBetweenEveryTwoNeighbours) {
  for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const auto low = static_cast<float>(value_of(static_cast<std::uint16_t>(bits)));
    const auto high = static_cast<float>(value_of(static_cast<std::uint16_t>(bits + 1)));
    const float middle = low + (high - low) / 2;  // exact: floats have 13 more bits
    for (float value : {std::nextafter(middle, low), middle, std::nextafter(middle, high)}) {
      ASSERT_EQ(Half(value).bits(), nearest_half(value)) << value;
      ASSERT_EQ(Half(-value).bits(), nearest_half(value) | 0x8000u) << value;
    }
  }
}

TEST(Half, AgreesWithTheSlowReferenceOverTheRangeOfFloats) {
  // A stride that is no power of two meets all exponents and many mantissas.
  for (std::uint64_t bits = 0; bits < 0x7f800000u; bits += 9973) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    ASSERT_EQ(Half(value).bits(), nearest_half(value)) << value;
  }
}

TEST(Half, KnowsItsEdges) {
  EXPECT_EQ(Half(0.0f).bits(), 0x0000);
  EXPECT_EQ(Half(-0.0f).bits(), 0x8000);
  EXPECT_EQ(Half(1.0f).bits(), 0x3c00);
  EXPECT_EQ(Half(65504.0f).bits(), 0x7bff);
  EXPECT_EQ(Half(65519.996f).bits(), 0x7bff);
  EXPECT_EQ(Half(65520.0f).bits(), 0x7c00);
  EXPECT_EQ(Half(std::numeric_limits<float>::infinity()).bits(), 0x7c00);
  EXPECT_EQ(Half(-std::numeric_limits<float>::infinity()).bits(), 0xfc00);
  EXPECT_EQ(Half(0x1p-24f).bits(), 0x0001);
  EXPECT_EQ(Half(0x1p-25f).bits(), 0x0000);  // a tie: to even
  EXPECT_EQ(Half(0x1.000002p-25f).bits(), 0x0001);
  EXPECT_EQ(Half(0x1.8p-24f).bits(), 0x0002);  // a tie: to even
  EXPECT_EQ(Half(0x1p-14f).bits(), 0x0400);
}

TEST(Half, KeepsNanQuietWithItsSign) {
  for (std::uint32_t bits : {0x7fc00000u, 0x7f800001u, 0xffc00000u, 0xff800001u, 0x7fffffffu}) {
    const Half half(std::bit_cast<float>(bits));
    EXPECT_EQ(half.bits() & 0x7c00, 0x7c00) << bits;
    EXPECT_NE(half.bits() & 0x0200, 0) << bits;
    EXPECT_EQ(half.bits() >> 15, bits >> 31) << bits;
  }
}

}  // namespace
}  // namespace parallax
