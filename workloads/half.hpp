#pragma once

#include <bit>
#include <cstdint>

namespace parallax {

/// IEEE 754 binary16 for storage. Converts through float, rounding to nearest even.
class Half {
 public:
  Half() = default;
  explicit Half(float value) : bits_(from_float(value)) {}
  explicit operator float() const { return to_float(bits_); }
  [[nodiscard]] std::uint16_t bits() const { return bits_; }

 private:
  static std::uint16_t from_float(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | 0x7e00u;   // NaN stays NaN, quiet
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // 65520 and above round to infinity
    if (magnitude < 0x38800000u) {
      // Below 2^-14 the result is subnormal, a multiple of 2^-24: adding 0.5 leaves its count of
      // units in the low bits of the sum, rounded to even by the addition itself.
      const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
      return static_cast<std::uint16_t>(sign |
                                        (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
    }
    const std::uint32_t odd = (magnitude >> 13) & 1u;
    const std::uint32_t rounded = magnitude + 0xfffu + odd - 0x38000000u;
    return static_cast<std::uint16_t>(sign | (rounded >> 13));
  }

  static float to_float(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1fu;
    const std::uint32_t mantissa = bits & 0x3ffu;
    if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
    if (exponent == 0) {
      const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
      return sign != 0 ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  }

  std::uint16_t bits_ = 0;
};

}  // namespace parallax
