// Adds a vector to itself, one element per lane: y[i] = x[i] + x[i].
// Buffers: 0 x[n] f32 read, 1 y[n] f32 write.
// Constants: n (u32, elements). Group: 256 lanes, 256 elements.
// dtypes: f32
// Source: own.
#version 450
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, binding = 0) readonly restrict buffer X { float x[]; };
layout(std430, binding = 1) writeonly restrict buffer Y { float y[]; };
layout(push_constant) uniform Constants { uint n; };

void main() {
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint i = group * 256u + gl_LocalInvocationID.x;
  if (i < n) y[i] = x[i] + x[i];
}
