#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "workloads/workload.hpp"

namespace parallax {

/// Outcome of checking one output. A value: nothing is printed and nothing thrown.
struct Verdict {
  bool ok = false;
  std::string metric;         ///< "bitwise"
  std::uint64_t checked = 0;  ///< elements compared
  double worst = 0.0;         ///< bitwise: number of differing elements
  double limit = 0.0;
  std::uint64_t at = 0;  ///< index of the worst (bitwise: first differing) element
  std::string detail;    ///< one line: what differs; empty when ok
};

/// Compares an output buffer with its reference. NaN never passes.
/// Shapes: `output` is the whole out buffer.
Verdict compare(const Reference& reference, const Tolerance& tolerance, Dtype output_dtype,
                std::span<const std::byte> output);

/// Hash of a buffer's elements, so that bitwise equality across APIs can be told without moving
/// the data. Equal bytes give equal digests on every machine.
std::uint64_t digest(std::span<const std::byte> bytes);

}  // namespace parallax
