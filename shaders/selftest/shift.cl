// Shows that a launch sees the writes of the one before: out[i] = in[(i + distance) mod n] + 1.
// Buffers: 0 in[n] u32 read, 1 out[n] u32 write.
// Constants: n, distance (u32). Group: 64 lanes, 64 elements.
// dtypes: u32
// Source: own.
typedef struct {
  uint n, distance;
} Constants;

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void PARALLAX_KERNEL(
    global const uint* restrict in, global uint* restrict out, Constants k) {
  const uint group = (uint)get_group_id(1) * (uint)get_num_groups(0) + (uint)get_group_id(0);
  const uint i = group * 64u + (uint)get_local_id(0);
  if (i < k.n) out[i] = in[(i + k.distance) % k.n] + 1u;
}
