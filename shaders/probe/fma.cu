// Tells whether fma() rounds once: out[0] = fma(in[0], in[0], in[1]) is a power of two if it does
// and zero if the product was rounded first, for the inputs that harness/arithmetic.cpp chooses.
// Buffers: 0 in[2] S read, 1 out[1] S write.
// Constants: none. Group: 1 lane.
// dtypes: f32 f64
// Source: own.
#include "mac.cuh"

extern "C" __global__ void __launch_bounds__(1)
    PARALLAX_KERNEL(const S* __restrict__ in, S* __restrict__ out) {
  out[0] = mac(in[0], in[0], in[1]);
}
