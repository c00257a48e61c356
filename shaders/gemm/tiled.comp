// Multiplies matrices through 16x16 tiles in shared memory, one element of C per lane.
// Buffers: 0 a[m][lda] T read, 1 b[k][ldb] T read (i8: b[n][ldb]), 2 c[m][ldc] S write.
// Constants: m, n, k, lda, ldb, ldc (u32, elements), tiles_n (u32, tiles along n).
// Group: 256 lanes, 16x16 of C, 16 of k at a time.
// dtypes: f32 f64 f16 i8
// Source: own.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define PARALLAX_SCALAR
#define STORED T
#define RESULT S
#include "gemm/operands.glsl"

shared S a_tile[16][16];
shared S b_tile[16][16];

void main() {
  const uint group = LINEAR_GROUP;
  const uint y = gl_LocalInvocationID.x / 16, x = gl_LocalInvocationID.x % 16;
  const uint row = group / tiles_n * 16 + y;
  const uint col = group % tiles_n * 16 + x;
  S sum = S(0);
  for (uint k0 = 0; k0 < k; k0 += 16) {
    a_tile[y][x] = row < m && k0 + x < k ? WIDEN(a[row * lda + k0 + x]) : S(0);
    b_tile[y][x] = col < n && k0 + y < k ? WIDEN(b[INDEX_B(k0 + y, col)]) : S(0);
    barrier();
    [[unroll]] for (uint i = 0; i < 16; ++i) sum = MAC(a_tile[y][i], b_tile[i][x], sum);
    barrier();
  }
  if (row < m && col < n) c[row * ldc + col] = sum;
}
