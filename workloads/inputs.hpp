#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/workload.hpp"

namespace parallax {

/// Fills `bytes` with values of `dtype`: the same bytes on every machine for the same arguments,
/// whatever the API. Random data is incompressible, since constant data would let a GPU compress
/// its memory traffic and draw less power.
/// Units:  Fill::random: f32 and f64 are uniform in [-1, 1] with every mantissa bit in use; i32 and
///         i8 are uniform over the whole type; f16 is a multiple of 2^-10 in [-1, 1), so that the
///         sum of two is exact and no API's rounding mode can change it (Vulkan leaves the mode of
///         packHalf2x16 open). Fill::integers: -2, -1, 1 or 2 in every type.
/// Order:  `stream` tells the buffers of one case apart.
/// Source: counter-based use of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
void fill_input(Dtype dtype, Fill fill, std::uint64_t seed, std::uint32_t stream,
                std::span<std::byte> bytes);

/// Says whether `bytes` are what fill_input() writes for the same arguments.
bool is_input(Dtype dtype, Fill fill, std::uint64_t seed, std::uint32_t stream,
              std::span<const std::byte> bytes);

/// Contents of every buffer of role `in`, in order, as Workload::expected() wants them.
std::vector<Bytes> make_inputs(std::span<const BufferSpec> specs, Fill fill, std::uint64_t seed);

}  // namespace parallax
