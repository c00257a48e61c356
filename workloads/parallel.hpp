#pragma once

#include <cstdint>
#include <functional>

namespace parallax {

/// Calls body(first, last) on disjoint ranges that cover [0, count), on all cores, with at least
/// `worth_a_thread` items each. Returns when all have finished. Errors: `body` must not throw.
void parallel_ranges(std::uint64_t count,
                     const std::function<void(std::uint64_t, std::uint64_t)>& body,
                     std::uint64_t worth_a_thread = 1 << 16);

}  // namespace parallax
