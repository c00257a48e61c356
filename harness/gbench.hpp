/// Google Benchmark as the engine of blocks, and nothing more. The only file that includes it is
/// gbench.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace parallax {

/// Fixes the library's own flags, so that neither its defaults nor BENCHMARK_* variables of the
/// environment change a block. Call once, before the first block.
void initialize_gbench();

/// Runs one block: `sample` is called exactly `count` times, one iteration each, and returns the
/// seconds of one sample, or nothing to stop the block.
/// Errors: throws std::logic_error if the library ran another number of iterations than asked.
void run_gbench_block(const std::string& case_name, std::uint32_t count,
                      const std::function<std::optional<double>()>& sample);

}  // namespace parallax
