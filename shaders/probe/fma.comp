// Tells whether fma() rounds once: out[0] = fma(in[0], in[0], in[1]) is a power of two if it does
// and zero if the product was rounded first, for the inputs that harness/arithmetic.cpp chooses.
// Buffers: 0 in[2] S read, 1 out[1] S write.
// Constants: none. Group: 1 lane.
// dtypes: f32 f64
// Source: own.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "mac.glsl"
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, binding = 0) readonly restrict buffer In { S x[]; };
layout(std430, binding = 1) writeonly restrict buffer Out { S y[]; };

void main() { y[0] = MAC(x[0], x[0], x[1]); }
