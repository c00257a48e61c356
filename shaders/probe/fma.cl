// Tells whether fma() rounds once: out[0] = fma(in[0], in[0], in[1]) is a power of two if it does
// and zero if the product was rounded first, for the inputs that harness/arithmetic.cpp chooses.
// Buffers: 0 in[2] S read, 1 out[1] S write.
// Constants: none. Group: 1 lane.
// dtypes: f32 f64
// Source: own.
#include "mac.clh"

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void PARALLAX_KERNEL(
    global const S* restrict in, global S* restrict out) {
  out[0] = MAC(in[0], in[0], in[1]);
}
