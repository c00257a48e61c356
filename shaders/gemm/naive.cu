// Multiplies matrices, one element of C per lane, straight from global memory.
// Buffers: 0 a[m][lda] T read, 1 b[k][ldb] T read (i8: b[n][ldb]), 2 c[m][ldc] S write.
// Constants: m, n, k, lda, ldb, ldc (u32, elements), tiles_n (u32, tiles along n).
// Group: 256 lanes, 16x16 of C, neighbouring lanes on neighbouring columns.
// dtypes: f32 f64 f16 i8
// Source: own.
#include "gemm/operands.cuh"

extern "C" __global__ void __launch_bounds__(256)
    PARALLAX_KERNEL(const T* __restrict__ a, const T* __restrict__ b, S* __restrict__ c,
                    Constants p) {
  const unsigned group = linear_group();
  const unsigned row = group / p.tiles_n * 16 + threadIdx.x / 16;
  const unsigned col = group % p.tiles_n * 16 + threadIdx.x % 16;
  if (row >= p.m || col >= p.n) return;
  S sum = 0;
  for (unsigned k = 0; k < p.k; ++k) {
    sum = mac(widen(a[row * p.lda + k]), widen(b[index_b(p, k, col)]), sum);
  }
  c[row * p.ldc + col] = sum;
}
