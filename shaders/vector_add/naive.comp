// Adds two vectors, one element per lane: c[i] = a[i] + b[i].
// Buffers: 0 a[n] T read, 1 b[n] T read, 2 c[n] T write.
// Constants: n (u32, elements). Group: 256 lanes, 256 elements.
// dtypes: f16 f32 f64 i32
// Source: own.
#version 450
#extension GL_GOOGLE_include_directive : require
#define PARALLAX_SCALAR
#include "dtype.glsl"
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, binding = 0) readonly restrict buffer A { T a[]; };
layout(std430, binding = 1) readonly restrict buffer B { T b[]; };
layout(std430, binding = 2) writeonly restrict buffer C { T c[]; };
layout(push_constant) uniform Constants { uint n; };

void main() {
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint i = group * 256u + gl_LocalInvocationID.x;
  if (i < n) c[i] = T(S(a[i]) + S(b[i]));
}
