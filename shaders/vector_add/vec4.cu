// Adds two vectors, sixteen bytes per lane and access: c[i] = a[i] + b[i].
// Buffers: 0 a[n16] V read, 1 b[n16] V read, 2 c[n16] V write; V is 16 bytes of T, padded.
// Constants: n16 (u32, units of 16 bytes). Group: 256 lanes, 4096 bytes.
// dtypes: f16 f32 f64 i32
// Source: own.
#include "dtype.cuh"

struct Constants {
  unsigned n16;
};

extern "C" __global__ void __launch_bounds__(256)
    PARALLAX_KERNEL(const V* __restrict__ a, const V* __restrict__ b, V* __restrict__ c,
                    Constants k) {
  const unsigned group = blockIdx.y * gridDim.x + blockIdx.x;
  const unsigned i = group * 256u + threadIdx.x;
  if (i < k.n16) c[i] = add(a[i], b[i]);
}
