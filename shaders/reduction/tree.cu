// Sums n elements into one value per group: a grid-stride loop of scalar loads, then a tree.
// Buffers: 0 in[n] T read, 1 sums[groups] T write.
// Constants: n (u32, elements). Group: 256 lanes, 1 sum; groups in x only.
// dtypes: f32 f64 i32
// Source: own.
#include "reduction/group_sum.cuh"

struct Constants {
  unsigned n;
};

extern "C" __global__ void __launch_bounds__(256)
    PARALLAX_KERNEL(const T* __restrict__ in, T* __restrict__ sums, Constants k) {
  T sum = 0;
  for (unsigned i = blockIdx.x * 256u + threadIdx.x; i < k.n; i += gridDim.x * 256u) {
    sum = add(sum, in[i]);
  }
  sum = group_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
