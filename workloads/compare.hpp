#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "workloads/workload.hpp"

namespace parallax {

/// Outcome of checking one output. A value: nothing is printed and nothing thrown.
struct Verdict {
  bool ok = false;
  std::string metric;         ///< "bitwise" or "scaled_error"
  std::uint64_t checked = 0;  ///< elements compared
  double worst = 0.0;  ///< bitwise: number of differing elements; scaled_error: the largest error
  double limit = 0.0;
  double rms = 0.0;  ///< scaled_error: root mean square of the errors; 0 for bitwise
  double rms_limit = 0.0;
  std::uint64_t at = 0;  ///< index of the worst (bitwise: first differing) element
  std::string detail;    ///< one line: what differs; empty when ok
};

/// Compares an output buffer with its reference. NaN never passes.
/// Shapes: `output` is the whole out buffer, padding included.
/// Errors: throws std::invalid_argument for a metric that does not fit the dtypes.
Verdict compare(const Reference& reference, const Tolerance& tolerance, Dtype output_dtype,
                std::span<const std::byte> output);

/// Hash of the elements of a buffer without its padding, so that bitwise equality across APIs can
/// be told without moving the data. Equal elements give equal digests on every machine.
std::uint64_t digest(const BufferSpec& spec, std::span<const std::byte> bytes);

/// Hash of a run of bytes.
std::uint64_t digest(std::span<const std::byte> bytes);

}  // namespace parallax
