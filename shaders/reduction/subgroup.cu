// Sums n elements into one value per group: as vec4, but lanes are folded within subgroups.
// Buffers: 0 in[n] T read in units V of 16 bytes, the last one padded, 1 sums[groups] T write.
// Constants: n (u32, elements). Group: 256 lanes, 1 sum; groups in x only.
// dtypes: f32 f64 i32
// Source: own.
#include "reduction/lane_sum.cuh"

struct Constants {
  unsigned n;
};

// The sum is lane 0's of the warp.
__device__ inline T warp_sum(T x) {
#pragma unroll
  for (unsigned width = 16; width > 0; width /= 2) {
    x = add(x, __shfl_down_sync(0xffffffffu, x, width));
  }
  return x;
}

extern "C" __global__ void __launch_bounds__(256)
    PARALLAX_KERNEL(const V* __restrict__ in, T* __restrict__ sums, Constants k) {
  __shared__ T warp_sums[8];
  const unsigned warp = threadIdx.x / 32;
  const unsigned lane = threadIdx.x % 32;
  T sum = warp_sum(lane_sum(in, k.n));
  if (lane == 0) warp_sums[warp] = sum;
  __syncthreads();
  if (warp > 0) return;
  sum = warp_sum(lane < 8 ? warp_sums[lane] : T(0));
  if (lane == 0) sums[blockIdx.x] = sum;
}
