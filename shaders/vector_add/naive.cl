// Adds two vectors, one element per lane: c[i] = a[i] + b[i].
// Buffers: 0 a[n] T read, 1 b[n] T read, 2 c[n] T write.
// Constants: n (u32, elements). Group: 256 lanes, 256 elements.
// dtypes: f16 f32 f64 i32
// Source: own.
#include "dtype.clh"

typedef struct {
  uint n;
} Constants;

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void PARALLAX_KERNEL(
    global const T* restrict a, global const T* restrict b, global T* restrict c, Constants k) {
  const uint group = (uint)get_group_id(1) * (uint)get_num_groups(0) + (uint)get_group_id(0);
  const uint i = group * 256u + (uint)get_local_id(0);
  if (i < k.n) STORE(c, i, add(LOAD(a, i), LOAD(b, i)));
}
