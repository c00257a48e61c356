// Spins in registers for a given number of steps: the lead-in of every timing bracket.
// Buffers: 0 sink[64] u32, written so that the loop has a result.
// Constants: iterations (u32). Group: 64 lanes, one group.
// dtypes: u32
// Source: own; multiplier and increment from Numerical Recipes, 3rd ed., section 7.1.
#include "shaders/host.hpp"

namespace {
struct Constants {
  std::uint32_t iterations;
};
}  // namespace

void PARALLAX_KERNEL(const parallax::HostGroup& group) {
  std::uint32_t* sink = parallax::buffer<std::uint32_t>(group, 0);
  const auto k = parallax::constants<Constants>(group);
  for (std::uint32_t lane = 0; lane < group.group_size.x; ++lane) {
    std::uint32_t x = lane;
    for (std::uint32_t i = 0; i < k.iterations; ++i) {
      x = x * 1664525u + 1013904223u;
      asm volatile("" : "+r"(x));  // or the compiler finds the closed form of the recurrence
    }
    sink[lane] = x;
  }
}
