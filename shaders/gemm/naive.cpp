// Multiplies matrices, one element of C per lane, straight from global memory.
// Buffers: 0 a[m][lda] T read, 1 b[k][ldb] T read (i8: b[n][ldb]), 2 c[m][ldc] S write.
// Constants: m, n, k, lda, ldb, ldc (u32, elements), tiles_n (u32, tiles along n).
// Group: 256 lanes, 16x16 of C, neighbouring lanes on neighbouring columns.
// dtypes: f32 f64 f16 i8
// Source: own.
#include "shaders/gemm/operands.hpp"

void PARALLAX_KERNEL(const parallax::HostGroup& group) {
  const T* a = parallax::buffer<T>(group, 0);
  const T* b = parallax::buffer<T>(group, 1);
  S* c = parallax::buffer<S>(group, 2);
  const auto p = parallax::constants<Constants>(group);
  const std::uint32_t tile = parallax::linear_group(group);
  for (std::uint32_t lane = 0; lane < 256; ++lane) {
    const std::size_t row = tile / p.tiles_n * 16 + lane / 16;
    const std::size_t col = tile % p.tiles_n * 16 + lane % 16;
    if (row >= p.m || col >= p.n) continue;
    S sum = 0;
    for (std::size_t k = 0; k < p.k; ++k) {
      sum = mac(widen(a[row * p.lda + k]), widen(b[index_b(p, k, col)]), sum);
    }
    c[row * p.ldc + col] = sum;
  }
}
