// Multiplies matrices by tiles in shared memory, a block of C in the registers of every lane.
// Buffers: 0 a[m][lda] T read, 1 b[k][ldb] T read (i8: b[n][ldb]), 2 c[m][ldc] S write.
// Constants: m, n, k, lda, ldb, ldc (u32, elements), tiles_n (u32, tiles along n).
// Group: 256 lanes, 128x128 of C (f64 64x64), 8x8 per lane (f64 4x4), 8 of k at a time (i8 16).
// dtypes: f32 f64 f16 i8
// Source: own, after Volkov, Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra", SC 2008.
#define VECTOR 0
#define STAGES 1
#include "gemm/tile.cuh"
