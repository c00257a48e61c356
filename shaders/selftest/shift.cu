// Shows that a launch sees the writes of the one before: out[i] = in[(i + distance) mod n] + 1.
// Buffers: 0 in[n] u32 read, 1 out[n] u32 write.
// Constants: n, distance (u32). Group: 64 lanes, 64 elements.
// dtypes: u32
// Source: own.
struct Constants {
  unsigned n, distance;
};

extern "C" __global__ void __launch_bounds__(64)
    PARALLAX_KERNEL(const unsigned* __restrict__ in, unsigned* __restrict__ out, Constants k) {
  const unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * 64u + threadIdx.x;
  if (i < k.n) out[i] = in[(i + k.distance) % k.n] + 1u;
}
