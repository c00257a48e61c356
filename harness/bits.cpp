#include "harness/bits.hpp"

namespace parallax {

bool expected_to_differ(Dtype dtype, std::optional<bool> fused, std::optional<bool> base_fused) {
  // Products of halves are exact in f32, so that rounding them changes nothing.
  const bool rounds = dtype == Dtype::f32 || dtype == Dtype::f64;
  return rounds && fused && base_fused && *fused != *base_fused;
}

std::string likely_cause(Dtype dtype, std::optional<bool> fused, std::optional<bool> base_fused) {
  if (expected_to_differ(dtype, fused, base_fused)) {
    return *fused ? "contraction: fma() rounds once here and twice on the base"
                  : "contraction: fma() rounds twice here and once on the base";
  }
  if (dtype == Dtype::i8 || dtype == Dtype::i32) return "integers cannot round: a wrong kernel";
  if (!fused && !base_fused) return "reassociation or flush to zero";
  if (!fused || !base_fused) {
    return "contraction, reassociation or flush to zero: whether fma() rounds once is not known";
  }
  return "reassociation or flush to zero: fma() rounds alike on both";
}

}  // namespace parallax
