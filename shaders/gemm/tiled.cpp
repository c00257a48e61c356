// Multiplies matrices through 16x16 tiles in shared memory, one element of C per lane.
// Buffers: 0 a[m][lda] T read, 1 b[k][ldb] T read (i8: b[n][ldb]), 2 c[m][ldc] S write.
// Constants: m, n, k, lda, ldb, ldc (u32, elements), tiles_n (u32, tiles along n).
// Group: 256 lanes, 16x16 of C, 16 of k at a time.
// dtypes: f32 f64 f16 i8
// Source: own.
#include "shaders/gemm/operands.hpp"

void PARALLAX_KERNEL(const parallax::HostGroup& group) {
  const T* a = parallax::buffer<T>(group, 0);
  const T* b = parallax::buffer<T>(group, 1);
  S* c = parallax::buffer<S>(group, 2);
  const auto p = parallax::constants<Constants>(group);
  const std::uint32_t tile = parallax::linear_group(group);
  const std::size_t row0 = tile / p.tiles_n * 16, col0 = tile % p.tiles_n * 16;
  S a_tile[16][16];
  S b_tile[16][16];
  S sum[16][16] = {};
  for (std::size_t k0 = 0; k0 < p.k; k0 += 16) {
    for (std::size_t lane = 0; lane < 256; ++lane) {
      const std::size_t y = lane / 16, x = lane % 16, row = row0 + y, col = col0 + x;
      a_tile[y][x] = row < p.m && k0 + x < p.k ? widen(a[row * p.lda + k0 + x]) : S{0};
      b_tile[y][x] = col < p.n && k0 + y < p.k ? widen(b[index_b(p, k0 + y, col)]) : S{0};
    }
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t lane = 0; lane < 256; ++lane) {
        const std::size_t y = lane / 16, x = lane % 16;
        sum[y][x] = mac(a_tile[y][i], b_tile[i][x], sum[y][x]);
      }
    }
  }
  for (std::size_t lane = 0; lane < 256; ++lane) {
    const std::size_t y = lane / 16, x = lane % 16, row = row0 + y, col = col0 + x;
    if (row < p.m && col < p.n) c[row * p.ldc + col] = sum[y][x];
  }
}
