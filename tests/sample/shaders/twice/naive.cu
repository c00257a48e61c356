// Adds a vector to itself, one element per lane: y[i] = x[i] + x[i].
// Buffers: 0 x[n] f32 read, 1 y[n] f32 write.
// Constants: n (u32, elements). Group: 256 lanes, 256 elements.
// dtypes: f32
// Source: own.
struct Constants {
  unsigned n;
};

extern "C" __global__ void __launch_bounds__(256)
    PARALLAX_KERNEL(const float* __restrict__ x, float* __restrict__ y, Constants k) {
  const unsigned group = blockIdx.y * gridDim.x + blockIdx.x;
  const unsigned i = group * 256u + threadIdx.x;
  if (i < k.n) y[i] = x[i] + x[i];
}
