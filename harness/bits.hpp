#pragma once

#include <optional>
#include <string>

#include "workloads/dtype.hpp"

namespace parallax {

/// One output against that of another device, bit for bit.
struct BitComparison {
  std::string base;  ///< device id
  bool equal = false;
  std::string cause;  ///< likely one, where they differ; one line
};

/// Says why two verified outputs of the same kernel in two APIs differ in their bits, as far as it
/// follows from whether fma() rounds once on each device (nothing: not known, or nothing to round).
std::string likely_cause(Dtype dtype, std::optional<bool> fused, std::optional<bool> base_fused);

/// Whether the difference is one that is known before the run: one device rounds products first.
bool expected_to_differ(Dtype dtype, std::optional<bool> fused, std::optional<bool> base_fused);

}  // namespace parallax
