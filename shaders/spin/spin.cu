// Spins in registers for a given number of steps: the lead-in of every timing bracket.
// Buffers: 0 sink[64] u32, written so that the loop has a result.
// Constants: iterations (u32). Group: 64 lanes, one group.
// dtypes: u32
// Source: own; multiplier and increment from Numerical Recipes, 3rd ed., section 7.1.
struct Constants {
  unsigned iterations;
};

extern "C" __global__ void __launch_bounds__(64)
    PARALLAX_KERNEL(unsigned* __restrict__ sink, Constants k) {
  unsigned x = threadIdx.x;
#pragma unroll 1
  for (unsigned i = 0; i < k.iterations; ++i) x = x * 1664525u + 1013904223u;
  sink[threadIdx.x] = x;
}
