// Shows how buffers and constants bind: out[i] = a[i] + 10 b[i] + 100 p + 1000 q.
// Buffers: 0 a[n] u32 read, 1 b[n] u32 read, 2 out[n] u32 write.
// Constants: n, p, q (u32). Group: 64 lanes, 64 elements.
// dtypes: u32
// Source: own.
#version 450
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, binding = 0) readonly restrict buffer A { uint a[]; };
layout(std430, binding = 1) readonly restrict buffer B { uint b[]; };
layout(std430, binding = 2) writeonly restrict buffer Out { uint result[]; };
layout(push_constant) uniform Constants { uint n, p, q; };

void main() {
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint i = group * 64u + gl_LocalInvocationID.x;
  if (i < n) result[i] = a[i] + 10u * b[i] + 100u * p + 1000u * q;
}
