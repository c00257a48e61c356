// Convolution, one output per lane straight from global memory; NCHW, KCRS filters.
// Buffers: 0 x[n*c*h, w] T read, 1 filter[k, c*r*s] T read, 2 y[n*k*p, q] f32 write; padded rows.
// Constants: Shape (convolution/shape.glsl), elements. Group: 256 lanes, 256 outputs.
// dtypes: f16 f32
// Source: own.
#version 450
#extension GL_GOOGLE_include_directive : require
#define PARALLAX_SCALAR
#include "convolution/shape.glsl"
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, binding = 0) readonly restrict buffer X { T x[]; };
layout(std430, binding = 1) readonly restrict buffer Filter { T filter_[]; };
layout(std430, binding = 2) writeonly restrict buffer Y { float y[]; };
layout(push_constant) uniform Constants { Shape dim; };

void main() {
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint i = group * 256u + gl_LocalInvocationID.x;
  const uint q = i % dim.q;
  i /= dim.q;
  const uint p = i % dim.p;
  i /= dim.p;
  const uint k = i % dim.k;
  const uint n = i / dim.k;
  if (n >= dim.n) return;
  // Above the image or left of it wraps to a huge number: one comparison checks both sides.
  const uint h0 = p * dim.stride - dim.pad;
  const uint w0 = q * dim.stride - dim.pad;
  float sum = 0.0;
  for (uint c = 0; c < dim.c; ++c) {
    for (uint r = 0; r < dim.r; ++r) {
      for (uint s = 0; s < dim.s; ++s) {
        if (h0 + r >= dim.h || w0 + s >= dim.w) continue;
        sum = MAC(WIDEN(x[X_AT(n, c, h0 + r, w0 + s)]),
                  WIDEN(filter_[FILTER_AT(k, c, r * dim.s + s)]), sum);
      }
    }
  }
  y[Y_AT(n, k, p, q)] = sum;
}
