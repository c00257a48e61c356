// Adds two vectors, sixteen bytes per lane and access: c[i] = a[i] + b[i].
// Buffers: 0 a[n16] V read, 1 b[n16] V read, 2 c[n16] V write; V is 16 bytes of T, padded.
// Constants: n16 (u32, units of 16 bytes). Group: 256 lanes, 4096 bytes.
// dtypes: f16 f32 f64 i32
// Source: own.
#include "dtype.clh"

typedef struct {
  uint n16;
} Constants;

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void PARALLAX_KERNEL(
    global const V* restrict a, global const V* restrict b, global V* restrict c, Constants k) {
  const uint group = (uint)get_group_id(1) * (uint)get_num_groups(0) + (uint)get_group_id(0);
  const uint i = group * 256u + (uint)get_local_id(0);
  if (i < k.n16) c[i] = add_vector(a[i], b[i]);
}
