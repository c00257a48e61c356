// What every GEMM kernel shares: C[m][n] = A[m][k] * B, row-major rows that start lda, ldb and ldc
// elements apart. B is k rows of n, for i8 n rows of k. STORED and RESULT are the elements that a
// kernel's buffers hold: one of T and S, or sixteen bytes of them.
#include "mac.glsl"

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, binding = 0) readonly restrict buffer A { STORED a[]; };
layout(std430, binding = 1) readonly restrict buffer B { STORED b[]; };
layout(std430, binding = 2) writeonly restrict buffer C { RESULT c[]; };
layout(push_constant) uniform Constants {
  uint m, n, k;        // elements
  uint lda, ldb, ldc;  // elements
  uint tiles_n;        // tiles of C along n; groups number tiles row by row
};

#if defined(PARALLAX_I8)
#define INDEX_B(k, col) ((col) * ldb + (k))
#else
#define INDEX_B(k, col) ((k) * ldb + (col))
#endif

#define LINEAR_GROUP (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x)
