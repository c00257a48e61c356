// Sum of one value per lane over a group of 256 by a tree in shared memory.
#pragma once

#include "dtype.cuh"

// The sum is lane 0's; other lanes get a part of it.
__device__ inline T group_sum(T x) {
  __shared__ T sums[256];
  const unsigned lane = threadIdx.x;
  sums[lane] = x;
  for (unsigned width = 128; width > 0; width /= 2) {
    __syncthreads();
    if (lane < width) sums[lane] = add(sums[lane], sums[lane + width]);
  }
  return sums[lane];
}
