// Sum of one value per lane over a group of 256 by a tree in shared memory. Needs dtype.glsl.
shared T lane_sums[256];

// The sum is lane 0's; other lanes get a part of it.
T group_sum(T x) {
  const uint lane = gl_LocalInvocationID.x;
  lane_sums[lane] = x;
  for (uint width = 128; width > 0; width /= 2) {
    barrier();
    if (lane < width) lane_sums[lane] += lane_sums[lane + width];
  }
  return lane_sums[lane];
}
