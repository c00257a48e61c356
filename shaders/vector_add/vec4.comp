// Adds two vectors, sixteen bytes per lane and access: c[i] = a[i] + b[i].
// Buffers: 0 a[n16] V read, 1 b[n16] V read, 2 c[n16] V write; V is 16 bytes of T, padded.
// Constants: n16 (u32, units of 16 bytes). Group: 256 lanes, 4096 bytes.
// dtypes: f16 f32 f64 i32
// Source: own.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "dtype.glsl"
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, binding = 0) readonly restrict buffer A { V a[]; };
layout(std430, binding = 1) readonly restrict buffer B { V b[]; };
layout(std430, binding = 2) writeonly restrict buffer C { V c[]; };
layout(push_constant) uniform Constants { uint n16; };

void main() {
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint i = group * 256u + gl_LocalInvocationID.x;
  if (i < n16) c[i] = add_vector(a[i], b[i]);
}
