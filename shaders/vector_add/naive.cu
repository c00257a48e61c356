// Adds two vectors, one element per lane: c[i] = a[i] + b[i].
// Buffers: 0 a[n] T read, 1 b[n] T read, 2 c[n] T write.
// Constants: n (u32, elements). Group: 256 lanes, 256 elements.
// dtypes: f16 f32 f64 i32
// Source: own.
#include "dtype.cuh"

struct Constants {
  unsigned n;
};

extern "C" __global__ void __launch_bounds__(256)
    PARALLAX_KERNEL(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c,
                    Constants k) {
  const unsigned group = blockIdx.y * gridDim.x + blockIdx.x;
  const unsigned i = group * 256u + threadIdx.x;
  if (i < k.n) c[i] = add(a[i], b[i]);
}
