// Shows how buffers and constants bind: out[i] = a[i] + 10 b[i] + 100 p + 1000 q.
// Buffers: 0 a[n] u32 read, 1 b[n] u32 read, 2 out[n] u32 write.
// Constants: n, p, q (u32). Group: 64 lanes, 64 elements.
// dtypes: u32
// Source: own.
typedef struct {
  uint n, p, q;
} Constants;

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void PARALLAX_KERNEL(
    global const uint* restrict a, global const uint* restrict b, global uint* restrict out,
    Constants k) {
  const uint group = (uint)get_group_id(1) * (uint)get_num_groups(0) + (uint)get_group_id(0);
  const uint i = group * 64u + (uint)get_local_id(0);
  if (i < k.n) out[i] = a[i] + 10u * b[i] + 100u * k.p + 1000u * k.q;
}
