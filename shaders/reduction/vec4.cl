// Sums n elements into one value per group: a grid-stride loop of 16-byte loads, then a tree.
// Buffers: 0 in[n] T read in units V of 16 bytes, the last one padded, 1 sums[groups] T write.
// Constants: n (u32, elements). Group: 256 lanes, 1 sum; groups in x only.
// dtypes: f32 f64 i32
// Source: own.
#include "dtype.clh"
#include "reduction/group_sum.clh"
#include "reduction/lane_sum.clh"

typedef struct {
  uint n;
} Constants;

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void PARALLAX_KERNEL(
    global const V* restrict in, global T* restrict sums, Constants k) {
  local T lane_sums[256];
  const T sum = group_sum(lane_sums, lane_sum(in, k.n));
  if (get_local_id(0) == 0) sums[get_group_id(0)] = sum;
}
