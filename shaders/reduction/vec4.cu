// Sums n elements into one value per group: a grid-stride loop of 16-byte loads, then a tree.
// Buffers: 0 in[n] T read in units V of 16 bytes, the last one padded, 1 sums[groups] T write.
// Constants: n (u32, elements). Group: 256 lanes, 1 sum; groups in x only.
// dtypes: f32 f64 i32
// Source: own.
#include "reduction/group_sum.cuh"
#include "reduction/lane_sum.cuh"

struct Constants {
  unsigned n;
};

extern "C" __global__ void __launch_bounds__(256)
    PARALLAX_KERNEL(const V* __restrict__ in, T* __restrict__ sums, Constants k) {
  const T sum = group_sum(lane_sum(in, k.n));
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
