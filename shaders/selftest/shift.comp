// Shows that a launch sees the writes of the one before: out[i] = in[(i + distance) mod n] + 1.
// Buffers: 0 in[n] u32 read, 1 out[n] u32 write.
// Constants: n, distance (u32). Group: 64 lanes, 64 elements.
// dtypes: u32
// Source: own.
#version 450
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, binding = 0) readonly restrict buffer In { uint source[]; };
layout(std430, binding = 1) writeonly restrict buffer Out { uint result[]; };
layout(push_constant) uniform Constants { uint n, distance_; };

void main() {
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint i = group * 64u + gl_LocalInvocationID.x;
  if (i < n) result[i] = source[(i + distance_) % n] + 1u;
}
