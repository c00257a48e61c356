// The body of gemm/register, vec4 and vec4_double. VECTOR: sixteen bytes per access, else one
// element. STAGES: 2 fetches the next tiles into registers while these are multiplied, and puts
// them into the other half of shared memory; 1 does one after the other.
// The lanes form 16 x 16. Each owns four blocks of kW x kW elements of C, 16 kW apart, so that
// neighbouring lanes read neighbouring vectors; A lies transposed in shared memory, so that both
// fragments are contiguous. Of every four lanes, two and two share a row and two and two a column:
// NVIDIA's shared memory then serves a read of sixteen bytes per lane in two turns instead of four
// (forums.developer.nvidia.com/t/77228).
#if VECTOR
#define STORED V
#define RESULT SV
#else
#define STORED T
#define RESULT S
#endif
#include "gemm/operands.glsl"

const uint kTile = 32 * kW;           // rows and columns of C per group
// Of k per step: enough for whole vectors of i8, and twice as much where the halved number of
// accesses leaves the registers for it.
const uint kDepth = kV > 8 || (VECTOR == 1 && STAGES == 1) ? 16 : 8;
const uint kPitch = kTile + kW;       // shifts the banks from one k to the next

#if VECTOR
const uint kAccess = kV;
const uint kShared = kW;
#define HELD V
#define SHARED SV
#define FETCH(from, index) from[(index) / kV]
#define AT(tile, stage, k, at) tile[stage][k][(at) / kW][(at) % kW]
#else
const uint kAccess = 1;
const uint kShared = 1;
#define HELD S  // widened at once: small types have no arithmetic
#define SHARED S
#define FETCH(from, index) WIDEN(from[index])
#define AT(tile, stage, k, at) tile[stage][k][at]
#endif
const uint kLoads = kTile * kDepth / kAccess;  // accesses to fetch one tile
const uint kSlots = 2 * kLoads / 256;          // accesses per lane for both

shared SHARED a_tile[STAGES][kDepth][kPitch / kShared];
shared SHARED b_tile[STAGES][kDepth][kPitch / kShared];
HELD held[kSlots];
S sum[2 * kW][2 * kW];

void spread(HELD value, out S x[kAccess]) {
#if VECTOR
  unpack(value, x);
#else
  x[0] = value;
#endif
}

// An operand whose rows run along k: lane `at` of a tile takes kAccess of k.
#define ROWS_ALONG(at) ((at) / (kDepth / kAccess))
#define ROWS_DEPTH(at) ((at) % (kDepth / kAccess) * kAccess)

// An operand whose rows run across k: lane `at` of a tile takes kAccess of one k.
#define COLUMNS_ALONG(at) ((at) % (kTile / kAccess) * kAccess)
#define COLUMNS_DEPTH(at) ((at) / (kTile / kAccess))

HELD fetch_a(uint row0, uint k0, uint at) {
  const uint row = row0 + ROWS_ALONG(at), i = k0 + ROWS_DEPTH(at);
  return row < m && i < k ? FETCH(a, row * lda + i) : HELD(0);
}

HELD fetch_b(uint col0, uint k0, uint at) {
#if defined(PARALLAX_I8)
  const uint col = col0 + ROWS_ALONG(at), i = k0 + ROWS_DEPTH(at);
#else
  const uint col = col0 + COLUMNS_ALONG(at), i = k0 + COLUMNS_DEPTH(at);
#endif
  return col < n && i < k ? FETCH(b, INDEX_B(i, col)) : HELD(0);
}

// Put one access into a tile. What a row holds beyond k is padding, no data.
#define PUT_ROWS(tile, stage, value, k0, at)                                   \
  {                                                                            \
    S x[kAccess];                                                              \
    spread(value, x);                                                          \
    [[unroll]] for (uint i = 0; i < kAccess; ++i) {                            \
      const uint depth = ROWS_DEPTH(at) + i;                                   \
      AT(tile, stage, depth, ROWS_ALONG(at)) = k0 + depth < k ? x[i] : S(0);   \
    }                                                                          \
  }

void put_columns(uint stage, HELD value, uint at) {
  S x[kAccess];
  spread(value, x);
  [[unroll]] for (uint i = 0; i < kAccess; i += kShared) {
    const uint to = (COLUMNS_ALONG(at) + i) / kShared;
#if defined(PARALLAX_F64) && VECTOR
    b_tile[stage][COLUMNS_DEPTH(at)][to] = SV(x[i], x[i + 1]);
#elif VECTOR
    b_tile[stage][COLUMNS_DEPTH(at)][to] = SV(x[i], x[i + 1], x[i + 2], x[i + 3]);
#else
    b_tile[stage][COLUMNS_DEPTH(at)][to] = x[i];
#endif
  }
}

// Accesses are numbered through A, then B, and dealt to the lanes in turn.
void fetch_tiles(uint row0, uint col0, uint k0) {
  [[unroll]] for (uint s = 0; s < kSlots; ++s) {
    const uint at = s * 256 + gl_LocalInvocationID.x;
    if (at < kLoads) {
      held[s] = fetch_a(row0, k0, at);
    } else {
      held[s] = fetch_b(col0, k0, at - kLoads);
    }
  }
}

void put_tiles(uint stage, uint k0) {
  [[unroll]] for (uint s = 0; s < kSlots; ++s) {
    const uint at = s * 256 + gl_LocalInvocationID.x;
    if (at < kLoads) {
      PUT_ROWS(a_tile, stage, held[s], k0, at)
    } else {
#if defined(PARALLAX_I8)
      PUT_ROWS(b_tile, stage, held[s], k0, at - kLoads)
#else
      put_columns(stage, held[s], at - kLoads);
#endif
    }
  }
}

#define READ_FRAGMENT(tile, stage, k, lane, x)                                        \
  [[unroll]] for (uint f = 0; f < 2 * kW; f += kShared) {                             \
    const SHARED part = tile[stage][k][(f / kW * 16 * kW + lane * kW + f % kW) / kShared]; \
    COPY_SHARED(x, f, part)                                                           \
  }
#if VECTOR
#define COPY_SHARED(x, f, part) \
  [[unroll]] for (uint e = 0; e < kShared; ++e) x[f + e] = part[e];
#else
#define COPY_SHARED(x, f, part) x[f] = part;
#endif

void multiply(uint stage, uint y, uint x) {
  [[unroll]] for (uint depth = 0; depth < kDepth; ++depth) {
    S u[2 * kW];
    S v[2 * kW];
    READ_FRAGMENT(a_tile, stage, depth, y, u)
    READ_FRAGMENT(b_tile, stage, depth, x, v)
    [[unroll]] for (uint r = 0; r < 2 * kW; ++r) {
      [[unroll]] for (uint q = 0; q < 2 * kW; ++q) sum[r][q] = MAC(u[r], v[q], sum[r][q]);
    }
  }
}

void main() {
  const uint group = LINEAR_GROUP;
  const uint row0 = group / tiles_n * kTile, col0 = group % tiles_n * kTile;
  const uint lane = gl_LocalInvocationID.x;
  const uint x = lane / 32 % 2 * 8 + lane / 8 % 4 * 2 + lane / 2 % 2;
  const uint y = lane / 64 * 4 + lane / 4 % 2 * 2 + lane % 2;
  [[unroll]] for (uint i = 0; i < 2 * kW; ++i) {
    [[unroll]] for (uint j = 0; j < 2 * kW; ++j) sum[i][j] = S(0);
  }

#if STAGES == 1
  for (uint k0 = 0; k0 < k; k0 += kDepth) {
    fetch_tiles(row0, col0, k0);
    put_tiles(0, k0);
    barrier();
    multiply(0, y, x);
    barrier();
  }
#else
  fetch_tiles(row0, col0, 0);
  put_tiles(0, 0);
  barrier();
  uint stage = 0;
  for (uint k0 = 0; k0 < k; k0 += kDepth) {
    const bool more = k0 + kDepth < k;
    if (more) fetch_tiles(row0, col0, k0 + kDepth);
    multiply(stage, y, x);
    stage ^= 1;
    if (more) put_tiles(stage, k0 + kDepth);
    barrier();
  }
#endif

  [[unroll]] for (uint i = 0; i < 2 * kW; ++i) {
    const uint row = row0 + i / kW * 16 * kW + y * kW + i % kW;
    [[unroll]] for (uint j = 0; j < 2 * kW; j += kShared) {
      const uint col = col0 + j / kW * 16 * kW + x * kW + j % kW;
      if (row >= m) continue;
#if VECTOR
      const uint to = (row * ldc + col) / kW;
      SV value;
      [[unroll]] for (uint e = 0; e < kW; ++e) value[e] = sum[i][j + e];
      if (col + kW <= n) {
        c[to] = value;
        continue;
      }
      [[unroll]] for (uint e = 0; e < kW; ++e) {
        if (col + e < n) c[to][e] = value[e];
      }
#else
      if (col < n) c[row * ldc + col] = sum[i][j];
#endif
    }
  }
}
