// The body of gemm/register, vec4 and vec4_double. VECTOR: sixteen bytes per access, else one
// element. STAGES: 2 fetches the next tiles into registers while these are multiplied, and puts
// them into the other half of shared memory; 1 does one after the other.
// The lanes form 16 x 16. Each owns four blocks of kW x kW elements of C, 16 kW apart, so that
// neighbouring lanes read neighbouring vectors; A lies transposed in shared memory, so that both
// fragments are contiguous. Of every four lanes, two and two share a row and two and two a column:
// NVIDIA's shared memory then serves a read of sixteen bytes per lane in two turns instead of four
// (forums.developer.nvidia.com/t/77228).
#include "gemm/operands.cuh"

constexpr unsigned kTile = 32 * kW;  // rows and columns of C per group
// Of k per step: enough for whole vectors of i8, and twice as much where the halved number of
// accesses leaves the registers for it.
constexpr unsigned kDepth = kV > 8 || (VECTOR && STAGES == 1) ? 16 : 8;
constexpr unsigned kPitch = kTile + kW;  // shifts the banks from one k to the next
constexpr unsigned kAccess = VECTOR ? kV : 1;
constexpr unsigned kLoads = kTile * kDepth / kAccess;  // accesses to fetch one tile
constexpr unsigned kSlots = 2 * kLoads / 256;          // accesses per lane for both

#if VECTOR
using Held = V;
using Shared = SV;
constexpr unsigned kShared = kW;
#else
using Held = T;
using Shared = S;
constexpr unsigned kShared = 1;
#endif
using Tile = Shared[kDepth][kPitch / kShared];

__device__ inline void spread(Held held, S (&x)[kAccess]) {
#if VECTOR
  unpack(held, x);
#else
  x[0] = widen(held);
#endif
}

// An operand whose rows run along k: lane `at` of a tile takes kAccess of k.
struct Rows {
  static __device__ unsigned along(unsigned at) { return at / (kDepth / kAccess); }
  static __device__ unsigned depth(unsigned at) { return at % (kDepth / kAccess) * kAccess; }
};

// An operand whose rows run across k: lane `at` of a tile takes kAccess of one k.
struct Columns {
  static __device__ unsigned along(unsigned at) { return at % (kTile / kAccess) * kAccess; }
  static __device__ unsigned depth(unsigned at) { return at / (kTile / kAccess); }
};

__device__ inline Held fetch(const T* __restrict__ from, unsigned index) {
  return *reinterpret_cast<const Held*>(from + index);
}

__device__ inline Held fetch_rows(const T* __restrict__ from, unsigned ld, unsigned rows,
                                  unsigned depth, unsigned row0, unsigned k0, unsigned at) {
  const unsigned row = row0 + Rows::along(at), k = k0 + Rows::depth(at);
  return row < rows && k < depth ? fetch(from, row * ld + k) : Held{};
}

__device__ inline Held fetch_columns(const T* __restrict__ from, unsigned ld, unsigned columns,
                                     unsigned depth, unsigned col0, unsigned k0, unsigned at) {
  const unsigned col = col0 + Columns::along(at), k = k0 + Columns::depth(at);
  return col < columns && k < depth ? fetch(from, k * ld + col) : Held{};
}

// Puts one access into a tile. What a row holds beyond k is padding, no data.
__device__ inline void put_rows(Tile& tile, Held held, unsigned depth, unsigned k0, unsigned at) {
  S x[kAccess];
  spread(held, x);
#pragma unroll
  for (unsigned i = 0; i < kAccess; ++i) {
    const unsigned k = Rows::depth(at) + i;
    reinterpret_cast<S*>(tile[k])[Rows::along(at)] = k0 + k < depth ? x[i] : S(0);
  }
}

__device__ inline void put_columns(Tile& tile, Held held, unsigned at) {
  S x[kAccess];
  spread(held, x);
#pragma unroll
  for (unsigned i = 0; i < kAccess; i += kShared) {
    tile[Columns::depth(at)][(Columns::along(at) + i) / kShared] =
        *reinterpret_cast<const Shared*>(&x[i]);
  }
}

__device__ inline void read_fragment(const Tile& tile, unsigned k, unsigned lane, S (&x)[2 * kW]) {
#pragma unroll
  for (unsigned i = 0; i < 2 * kW; i += kShared) {
    const unsigned at = i / kW * 16 * kW + lane * kW + i % kW;
    *reinterpret_cast<Shared*>(&x[i]) = tile[k][at / kShared];
  }
}

extern "C" __global__ void __launch_bounds__(256)
    PARALLAX_KERNEL(const T* __restrict__ a, const T* __restrict__ b, S* __restrict__ c,
                    Constants p) {
  __shared__ Tile a_tile[STAGES];
  __shared__ Tile b_tile[STAGES];
  const unsigned group = linear_group();
  const unsigned row0 = group / p.tiles_n * kTile, col0 = group % p.tiles_n * kTile;
  const unsigned lane = threadIdx.x;
  const unsigned x = lane / 32 % 2 * 8 + lane / 8 % 4 * 2 + lane / 2 % 2;
  const unsigned y = lane / 64 * 4 + lane / 4 % 2 * 2 + lane % 2;
  Held held[kSlots];
  S sum[2 * kW][2 * kW] = {};

  // Accesses are numbered through A, then B, and dealt to the lanes in turn.
  const auto fetch_tiles = [&](unsigned k0) {
#pragma unroll
    for (unsigned s = 0; s < kSlots; ++s) {
      const unsigned at = s * 256 + threadIdx.x;
      if (at < kLoads) {
        held[s] = fetch_rows(a, p.lda, p.m, p.k, row0, k0, at);
      } else if (kTransposedB) {
        held[s] = fetch_rows(b, p.ldb, p.n, p.k, col0, k0, at - kLoads);
      } else {
        held[s] = fetch_columns(b, p.ldb, p.n, p.k, col0, k0, at - kLoads);
      }
    }
  };
  const auto put_tiles = [&](unsigned stage, unsigned k0) {
#pragma unroll
    for (unsigned s = 0; s < kSlots; ++s) {
      const unsigned at = s * 256 + threadIdx.x;
      if (at < kLoads) {
        put_rows(a_tile[stage], held[s], p.k, k0, at);
      } else if (kTransposedB) {
        put_rows(b_tile[stage], held[s], p.k, k0, at - kLoads);
      } else {
        put_columns(b_tile[stage], held[s], at - kLoads);
      }
    }
  };
  const auto multiply = [&](unsigned stage) {
#pragma unroll
    for (unsigned k = 0; k < kDepth; ++k) {
      S u[2 * kW], v[2 * kW];
      read_fragment(a_tile[stage], k, y, u);
      read_fragment(b_tile[stage], k, x, v);
#pragma unroll
      for (unsigned i = 0; i < 2 * kW; ++i) {
#pragma unroll
        for (unsigned j = 0; j < 2 * kW; ++j) sum[i][j] = mac(u[i], v[j], sum[i][j]);
      }
    }
  };

#if STAGES == 1
  for (unsigned k0 = 0; k0 < p.k; k0 += kDepth) {
    fetch_tiles(k0);
    put_tiles(0, k0);
    __syncthreads();
    multiply(0);
    __syncthreads();
  }
#else
  fetch_tiles(0);
  put_tiles(0, 0);
  __syncthreads();
  unsigned stage = 0;
  for (unsigned k0 = 0; k0 < p.k; k0 += kDepth) {
    const bool more = k0 + kDepth < p.k;
    if (more) fetch_tiles(k0 + kDepth);
    multiply(stage);
    stage ^= 1;
    if (more) put_tiles(stage, k0 + kDepth);
    __syncthreads();
  }
#endif

#pragma unroll
  for (unsigned i = 0; i < 2 * kW; ++i) {
    const unsigned row = row0 + i / kW * 16 * kW + y * kW + i % kW;
#pragma unroll
    for (unsigned j = 0; j < 2 * kW; j += kShared) {
      const unsigned col = col0 + j / kW * 16 * kW + x * kW + j % kW;
      if (row >= p.m) continue;
      if (col + kShared <= p.n) {
        *reinterpret_cast<Shared*>(&c[row * p.ldc + col]) =
            *reinterpret_cast<const Shared*>(&sum[i][j]);
        continue;
      }
#pragma unroll
      for (unsigned e = 0; e < kShared; ++e) {
        if (col + e < p.n) c[row * p.ldc + col + e] = sum[i][j + e];
      }
    }
  }
}
