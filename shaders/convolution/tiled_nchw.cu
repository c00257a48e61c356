// Convolution from shared memory: halo of 16 x 16 outputs, filters of 8 channels; NCHW, KCRS.
// Buffers: 0 x[n*c*h, w] T read, 1 filter[k, c*r*s] T read, 2 y[n*k*p, q] f32 write; padded rows.
// Constants: Shape, input channels per step, halo width and area (elements), tiles along q, p, k,
// divisors (convolution/tiled.cuh). Group: 256 lanes, 16 x 16 pixels of 8 channels.
// dtypes: f16 f32
// Source: own.
#include "convolution/tiled.cuh"
