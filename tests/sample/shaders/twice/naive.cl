// Adds a vector to itself, one element per lane: y[i] = x[i] + x[i].
// Buffers: 0 x[n] f32 read, 1 y[n] f32 write.
// Constants: n (u32, elements). Group: 256 lanes, 256 elements.
// dtypes: f32
// Source: own.
typedef struct {
  uint n;
} Constants;

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void PARALLAX_KERNEL(
    global const float* restrict x, global float* restrict y, Constants k) {
  const uint group = (uint)get_group_id(1) * (uint)get_num_groups(0) + (uint)get_group_id(0);
  const uint i = group * 256u + (uint)get_local_id(0);
  if (i < k.n) y[i] = x[i] + x[i];
}
