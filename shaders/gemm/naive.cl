// Multiplies matrices, one element of C per lane, straight from global memory.
// Buffers: 0 a[m][lda] T read, 1 b[k][ldb] T read (i8: b[n][ldb]), 2 c[m][ldc] S write.
// Constants: m, n, k, lda, ldb, ldc (u32, elements), tiles_n (u32, tiles along n).
// Group: 256 lanes, 16x16 of C, neighbouring lanes on neighbouring columns.
// dtypes: f32 f64 f16 i8
// Source: own.
#include "gemm/operands.clh"

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void PARALLAX_KERNEL(
    global const T* restrict a, global const T* restrict b, global S* restrict c, Constants p) {
  const uint group = LINEAR_GROUP;
  const uint lane = (uint)get_local_id(0);
  const uint row = group / p.tiles_n * 16 + lane / 16;
  const uint col = group % p.tiles_n * 16 + lane % 16;
  if (row >= p.m || col >= p.n) return;
  S sum = 0;
  for (uint k = 0; k < p.k; ++k) {
    sum = MAC(WIDEN(a, row * p.lda + k), WIDEN(b, INDEX_B(p, k, col)), sum);
  }
  c[row * p.ldc + col] = sum;
}
