// Shows how buffers and constants bind: out[i] = a[i] + 10 b[i] + 100 p + 1000 q.
// Buffers: 0 a[n] u32 read, 1 b[n] u32 read, 2 out[n] u32 write.
// Constants: n, p, q (u32). Group: 64 lanes, 64 elements.
// dtypes: u32
// Source: own.
struct Constants {
  unsigned n, p, q;
};

extern "C" __global__ void __launch_bounds__(64)
    PARALLAX_KERNEL(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                    unsigned* __restrict__ out, Constants k) {
  const unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * 64u + threadIdx.x;
  if (i < k.n) out[i] = a[i] + 10u * b[i] + 100u * k.p + 1000u * k.q;
}
