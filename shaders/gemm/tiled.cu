// Multiplies matrices through 16x16 tiles in shared memory, one element of C per lane.
// Buffers: 0 a[m][lda] T read, 1 b[k][ldb] T read (i8: b[n][ldb]), 2 c[m][ldc] S write.
// Constants: m, n, k, lda, ldb, ldc (u32, elements), tiles_n (u32, tiles along n).
// Group: 256 lanes, 16x16 of C, 16 of k at a time.
// dtypes: f32 f64 f16 i8
// Source: own.
#include "gemm/operands.cuh"

extern "C" __global__ void __launch_bounds__(256)
    PARALLAX_KERNEL(const T* __restrict__ a, const T* __restrict__ b, S* __restrict__ c,
                    Constants p) {
  __shared__ S a_tile[16][16];
  __shared__ S b_tile[16][16];
  const unsigned group = linear_group();
  const unsigned y = threadIdx.x / 16, x = threadIdx.x % 16;
  const unsigned row = group / p.tiles_n * 16 + y;
  const unsigned col = group % p.tiles_n * 16 + x;
  S sum = 0;
  for (unsigned k0 = 0; k0 < p.k; k0 += 16) {
    a_tile[y][x] = row < p.m && k0 + x < p.k ? widen(a[row * p.lda + k0 + x]) : S(0);
    b_tile[y][x] = col < p.n && k0 + y < p.k ? widen(b[index_b(p, k0 + y, col)]) : S(0);
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < 16; ++i) sum = mac(a_tile[y][i], b_tile[i][x], sum);
    __syncthreads();
  }
  if (row < p.m && col < p.n) c[row * p.ldc + col] = sum;
}
