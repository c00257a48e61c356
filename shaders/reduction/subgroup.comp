// Sums n elements into one value per group: as vec4, but lanes are folded within subgroups.
// Buffers: 0 in[n] T read in units V of 16 bytes, the last one padded, 1 sums[groups] T write.
// Constants: n (u32, elements). Group: 256 lanes, 1 sum; groups in x only.
// dtypes: f32 f64 i32
// Source: own.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "dtype.glsl"
#include "reduction/lane_sum.glsl"
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, binding = 1) writeonly restrict buffer Sums { T sums[]; };
layout(push_constant) uniform Constants { uint n; };

// A subgroup may have any size, down to one lane.
shared T subgroup_sums[256];

void main() {
  T sum = subgroupAdd(lane_sum(n));
  if (subgroupElect()) subgroup_sums[gl_SubgroupID] = sum;
  barrier();
  if (gl_SubgroupID > 0) return;
  // Lanes are counted: gl_SubgroupSize may be larger than the subgroups of this pipeline are.
  const uint lanes = subgroupAdd(1u);
  sum = T(0);
  for (uint i = subgroupExclusiveAdd(1u); i < gl_NumSubgroups; i += lanes) sum += subgroup_sums[i];
  sum = subgroupAdd(sum);
  if (subgroupElect()) sums[gl_WorkGroupID.x] = sum;
}
