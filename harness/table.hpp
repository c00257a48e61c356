#pragma once

#include <string>

#include "harness/results.hpp"

namespace parallax {

/// Formats a duration with three to four significant digits and its unit: "12.34 us".
std::string format_ns(double ns);

/// Formats a rate in decimal units: 1e9 bytes per second is "1.000 GB/s".
std::string format_bytes_per_s(double bytes_per_s);

/// Formats a rate of operations: 1e9 per second is "1.000 GFLOP/s".
std::string format_flop_per_s(double flop_per_s);

/// The table at the end of a run: one line per row with median, interval, rate, ratio to the first
/// API of the case and flags, and a line of counts. Colour escapes only if asked for.
std::string format_table(const ResultFile& file, bool colour);

}  // namespace parallax
