// Sums n elements into one value per group: a grid-stride loop of scalar loads, then a tree.
// Buffers: 0 in[n] T read, 1 sums[groups] T write.
// Constants: n (u32, elements). Group: 256 lanes, 1 sum; groups in x only.
// dtypes: f32 f64 i32
// Source: own.
#include "dtype.clh"
#include "reduction/group_sum.clh"

typedef struct {
  uint n;
} Constants;

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void PARALLAX_KERNEL(
    global const T* restrict in, global T* restrict sums, Constants k) {
  local T lane_sums[256];
  const uint lane = (uint)get_local_id(0);
  const uint group = (uint)get_group_id(0);
  T sum = 0;
  for (uint i = group * 256u + lane; i < k.n; i += (uint)get_num_groups(0) * 256u) {
    sum = add(sum, in[i]);
  }
  sum = group_sum(lane_sums, sum);
  if (lane == 0) sums[group] = sum;
}
