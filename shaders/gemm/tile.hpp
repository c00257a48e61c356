// The body of gemm/register, vec4 and vec4_double. VECTOR: sixteen bytes per access, else
// one element. STAGES: 2 puts the next tiles into the other half of the shared arrays while these
// are multiplied; 1 does one after the other.
// One call computes the group's whole tile of C, every element by the same additions in the same
// order as a lane of the other languages does.
#include "shaders/gemm/operands.hpp"

namespace {

constexpr std::size_t kTile = 32 * kW;  // rows and columns of C per group
// Of k per step; see the other languages.
constexpr std::size_t kDepth = kV > 8 || (VECTOR && STAGES == 1) ? 16 : 8;
constexpr std::size_t kAccess = VECTOR ? kV : 1;
using Tile = S[kDepth][kTile];

// Puts a tile of an operand whose rows run along k. What a row holds beyond k is padding, no data.
void put_rows(Tile& tile, const T* from, std::size_t ld, std::size_t rows, std::size_t depth,
              std::size_t row0, std::size_t k0) {
  for (std::size_t at = 0; at < kTile * kDepth; at += kAccess) {
    const std::size_t along = at / kDepth, k = at % kDepth;
    const bool inside = row0 + along < rows && k0 + k < depth;
    for (std::size_t i = 0; i < kAccess; ++i) {
      const bool data = inside && k0 + k + i < depth;
      tile[k + i][along] = data ? widen(from[(row0 + along) * ld + k0 + k + i]) : S{0};
    }
  }
}

// Puts a tile of an operand whose rows run across k.
void put_columns(Tile& tile, const T* from, std::size_t ld, std::size_t columns, std::size_t depth,
                 std::size_t col0, std::size_t k0) {
  for (std::size_t at = 0; at < kTile * kDepth; at += kAccess) {
    const std::size_t along = at % kTile, k = at / kTile;
    const bool inside = col0 + along < columns && k0 + k < depth;
    for (std::size_t i = 0; i < kAccess; ++i) {
      tile[k][along + i] = inside ? widen(from[(k0 + k) * ld + col0 + along + i]) : S{0};
    }
  }
}

void multiply(const Tile& a, const Tile& b, S (&sum)[kTile][kTile]) {
  for (std::size_t k = 0; k < kDepth; ++k) {
    for (std::size_t i = 0; i < kTile; ++i) {
      for (std::size_t j = 0; j < kTile; ++j) sum[i][j] = mac(a[k][i], b[k][j], sum[i][j]);
    }
  }
}

}  // namespace

void PARALLAX_KERNEL(const parallax::HostGroup& group) {
  const T* a = parallax::buffer<T>(group, 0);
  const T* b = parallax::buffer<T>(group, 1);
  S* c = parallax::buffer<S>(group, 2);
  const auto p = parallax::constants<Constants>(group);
  const std::uint32_t tile = parallax::linear_group(group);
  const std::size_t row0 = tile / p.tiles_n * kTile, col0 = tile % p.tiles_n * kTile;
  if (row0 >= p.m) return;
  Tile a_tile[STAGES];
  Tile b_tile[STAGES];
  S sum[kTile][kTile] = {};

  const auto put_tiles = [&](std::size_t stage, std::size_t k0) {
    put_rows(a_tile[stage], a, p.lda, p.m, p.k, row0, k0);
    if constexpr (kTransposedB) {
      put_rows(b_tile[stage], b, p.ldb, p.n, p.k, col0, k0);
    } else {
      put_columns(b_tile[stage], b, p.ldb, p.n, p.k, col0, k0);
    }
  };
#if STAGES == 1
  for (std::size_t k0 = 0; k0 < p.k; k0 += kDepth) {
    put_tiles(0, k0);
    multiply(a_tile[0], b_tile[0], sum);
  }
#else
  put_tiles(0, 0);
  std::size_t stage = 0;
  for (std::size_t k0 = 0; k0 < p.k; k0 += kDepth) {
    if (k0 + kDepth < p.k) put_tiles(stage ^ 1, k0 + kDepth);
    multiply(a_tile[stage], b_tile[stage], sum);
    stage ^= 1;
  }
#endif

  for (std::size_t row = row0; row < row0 + kTile && row < p.m; ++row) {
    for (std::size_t col = col0; col < col0 + kTile && col < p.n; ++col) {
      c[row * p.ldc + col] = sum[row - row0][col - col0];
    }
  }
}
