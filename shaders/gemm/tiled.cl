// Multiplies matrices through 16x16 tiles in shared memory, one element of C per lane.
// Buffers: 0 a[m][lda] T read, 1 b[k][ldb] T read (i8: b[n][ldb]), 2 c[m][ldc] S write.
// Constants: m, n, k, lda, ldb, ldc (u32, elements), tiles_n (u32, tiles along n).
// Group: 256 lanes, 16x16 of C, 16 of k at a time.
// dtypes: f32 f64 f16 i8
// Source: own.
#include "gemm/operands.clh"

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void PARALLAX_KERNEL(
    global const T* restrict a, global const T* restrict b, global S* restrict c, Constants p) {
  local S a_tile[16][16];
  local S b_tile[16][16];
  const uint group = LINEAR_GROUP;
  const uint y = (uint)get_local_id(0) / 16, x = (uint)get_local_id(0) % 16;
  const uint row = group / p.tiles_n * 16 + y;
  const uint col = group % p.tiles_n * 16 + x;
  S sum = 0;
  for (uint k0 = 0; k0 < p.k; k0 += 16) {
    a_tile[y][x] = row < p.m && k0 + x < p.k ? WIDEN(a, row * p.lda + k0 + x) : (S)0;
    b_tile[y][x] = col < p.n && k0 + y < p.k ? WIDEN(b, INDEX_B(p, k0 + y, col)) : (S)0;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < 16; ++i) sum = MAC(a_tile[y][i], b_tile[i][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < p.m && col < p.n) c[row * p.ldc + col] = sum;
}
