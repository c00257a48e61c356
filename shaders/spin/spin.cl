// Spins in registers for a given number of steps: the lead-in of every timing bracket.
// Buffers: 0 sink[64] u32, written so that the loop has a result.
// Constants: iterations (u32). Group: 64 lanes, one group.
// dtypes: u32
// Source: own; multiplier and increment from Numerical Recipes, 3rd ed., section 7.1.
typedef struct {
  uint iterations;
} Constants;

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void PARALLAX_KERNEL(
    global uint* restrict sink, Constants k) {
  uint x = get_local_id(0);
#pragma unroll 1
  for (uint i = 0; i < k.iterations; ++i) x = x * 1664525u + 1013904223u;
  sink[get_local_id(0)] = x;
}
