// What every GEMM kernel shares: C[m][n] = A[m][k] * B, row-major rows that start lda, ldb and ldc
// elements apart. B is k rows of n, for i8 n rows of k.
#pragma once

#include "shaders/host.hpp"
#include "shaders/mac.hpp"

namespace {

struct Constants {
  std::uint32_t m, n, k;        // elements
  std::uint32_t lda, ldb, ldc;  // elements
  std::uint32_t tiles_n;        // tiles of C along n; groups number tiles row by row
};

#if defined(PARALLAX_I8)
constexpr bool kTransposedB = true;
#else
constexpr bool kTransposedB = false;
#endif

inline std::size_t index_b(const Constants& c, std::size_t k, std::size_t col) {
  return kTransposedB ? col * c.ldb + k : k * c.ldb + col;
}

}  // namespace
