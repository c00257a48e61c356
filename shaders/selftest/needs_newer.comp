// Needs a GLSL extension that older compilers lack: shows that such a file is left out with a notice.
// Buffers: none. Constants: none. Group: 32 lanes.
// dtypes: u32
// needs: GL_KHR_cooperative_matrix
// Source: own.
#version 450
#extension GL_KHR_cooperative_matrix : require
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
void main() {}
