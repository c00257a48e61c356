#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/workload.hpp"

namespace parallax {

/// Fills `bytes` with pseudo-random values of `dtype`: the same bytes on every machine for the same
/// seed and stream, whatever the API, and incompressible, since constant data would let a GPU
/// compress its memory traffic and draw less power.
/// Units:  f32 and f64 are uniform in [-1, 1] with every mantissa bit in use; i32 is uniform over
///         the whole type; f16 is a multiple of 2^-10 in [-1, 1), so that the sum of two is exact
///         and no API's rounding mode can change it (Vulkan leaves the mode of packHalf2x16 open).
/// Order:  `stream` tells the buffers of one case apart.
/// Source: counter-based use of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
void fill_random(Dtype dtype, std::uint64_t seed, std::uint32_t stream, std::span<std::byte> bytes);

/// Says whether `bytes` are what fill_random() writes for the same arguments.
bool is_random(Dtype dtype, std::uint64_t seed, std::uint32_t stream,
               std::span<const std::byte> bytes);

/// Contents of one input buffer of a problem; `index` counts all buffers of the problem.
Bytes make_input(const BufferSpec& spec, std::uint64_t seed, std::uint32_t index);

}  // namespace parallax
