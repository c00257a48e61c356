// Spins in registers for a given number of steps: the lead-in of every timing bracket.
// Buffers: 0 sink[64] u32, written so that the loop has a result.
// Constants: iterations (u32). Group: 64 lanes, one group.
// dtypes: u32
// Source: own; multiplier and increment from Numerical Recipes, 3rd ed., section 7.1.
#version 450
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, binding = 0) writeonly restrict buffer Sink { uint sink[]; };
layout(push_constant) uniform Constants { uint iterations; };

void main() {
  uint x = gl_LocalInvocationID.x;
  [[dont_unroll]] for (uint i = 0; i < iterations; ++i) x = x * 1664525u + 1013904223u;
  sink[gl_LocalInvocationID.x] = x;
}
