// What every GEMM kernel shares: C[m][n] = A[m][k] * B, row-major rows that start lda, ldb and ldc
// elements apart. B is k rows of n, for i8 n rows of k.
#pragma once

#include "mac.cuh"

struct Constants {
  unsigned m, n, k;        // elements
  unsigned lda, ldb, ldc;  // elements
  unsigned tiles_n;        // tiles of C along n; groups number tiles row by row
};

#if defined(PARALLAX_I8)
constexpr bool kTransposedB = true;
#else
constexpr bool kTransposedB = false;
#endif

__device__ inline unsigned index_b(const Constants& c, unsigned k, unsigned col) {
  return kTransposedB ? col * c.ldb + k : k * c.ldb + col;
}

__device__ inline unsigned linear_group() { return blockIdx.y * gridDim.x + blockIdx.x; }
