// Sum of one lane's share of a vector, loaded sixteen bytes at a time.
#pragma once

#include "dtype.cuh"

constexpr unsigned kV = 16 / sizeof(T);

// Zeroes all but the first `count` elements, of which there is at least one.
__device__ inline V keep(V v, unsigned count) {
#if defined(PARALLAX_F64)
  return make_double2(v.x, count > 1 ? v.y : 0);
#else
  return V{v.x, count > 1 ? v.y : 0, count > 2 ? v.z : 0, count > 3 ? v.w : 0};
#endif
}

__device__ inline T fold(V v) {
#if defined(PARALLAX_F64)
  return v.x + v.y;
#else
  return (v.x + v.y) + (v.z + v.w);
#endif
}

// Each component is an accumulator of its own. The last unit of in[n] may hold padding.
__device__ inline T lane_sum(const V* __restrict__ in, unsigned n) {
  const unsigned stride = gridDim.x * 256u;
  const unsigned whole = n / kV;
  const unsigned units = whole + (n % kV > 0);
  unsigned i = blockIdx.x * 256u + threadIdx.x;
  V sum = {};
  for (; i + 3 * stride < whole; i += 4 * stride) {
    // Four loads in flight before the first addition waits for one.
    const V a = in[i];
    const V b = in[i + stride];
    const V c = in[i + 2 * stride];
    const V d = in[i + 3 * stride];
    sum = add(add(add(add(sum, a), b), c), d);
  }
  for (; i < units; i += stride) sum = add(sum, keep(in[i], n - i * kV));
  return fold(sum);
}
