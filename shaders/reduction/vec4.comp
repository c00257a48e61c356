// Sums n elements into one value per group: a grid-stride loop of 16-byte loads, then a tree.
// Buffers: 0 in[n] T read in units V of 16 bytes, the last one padded, 1 sums[groups] T write.
// Constants: n (u32, elements). Group: 256 lanes, 1 sum; groups in x only.
// dtypes: f32 f64 i32
// Source: own.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "dtype.glsl"
#include "reduction/group_sum.glsl"
#include "reduction/lane_sum.glsl"
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, binding = 1) writeonly restrict buffer Sums { T sums[]; };
layout(push_constant) uniform Constants { uint n; };

void main() {
  const T sum = group_sum(lane_sum(n));
  if (gl_LocalInvocationID.x == 0) sums[gl_WorkGroupID.x] = sum;
}
