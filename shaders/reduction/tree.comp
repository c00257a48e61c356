// Sums n elements into one value per group: a grid-stride loop of scalar loads, then a tree.
// Buffers: 0 in[n] T read, 1 sums[groups] T write.
// Constants: n (u32, elements). Group: 256 lanes, 1 sum; groups in x only.
// dtypes: f32 f64 i32
// Source: own.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "dtype.glsl"
#include "reduction/group_sum.glsl"
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, binding = 0) readonly restrict buffer In { T values[]; };
layout(std430, binding = 1) writeonly restrict buffer Sums { T sums[]; };
layout(push_constant) uniform Constants { uint n; };

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint group = gl_WorkGroupID.x;
  T sum = T(0);
  for (uint i = group * 256u + lane; i < n; i += gl_NumWorkGroups.x * 256u) sum += values[i];
  sum = group_sum(sum);
  if (lane == 0) sums[group] = sum;
}
