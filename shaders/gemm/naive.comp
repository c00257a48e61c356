// Multiplies matrices, one element of C per lane, straight from global memory.
// Buffers: 0 a[m][lda] T read, 1 b[k][ldb] T read (i8: b[n][ldb]), 2 c[m][ldc] S write.
// Constants: m, n, k, lda, ldb, ldc (u32, elements), tiles_n (u32, tiles along n).
// Group: 256 lanes, 16x16 of C, neighbouring lanes on neighbouring columns.
// dtypes: f32 f64 f16 i8
// Source: own.
#version 450
#extension GL_GOOGLE_include_directive : require
#define PARALLAX_SCALAR
#define STORED T
#define RESULT S
#include "gemm/operands.glsl"

void main() {
  const uint group = LINEAR_GROUP;
  const uint row = group / tiles_n * 16 + gl_LocalInvocationID.x / 16;
  const uint col = group % tiles_n * 16 + gl_LocalInvocationID.x % 16;
  if (row >= m || col >= n) return;
  S sum = S(0);
  for (uint i = 0; i < k; ++i) {
    sum = MAC(WIDEN(a[row * lda + i]), WIDEN(b[INDEX_B(i, col)]), sum);
  }
  c[row * ldc + col] = sum;
}
