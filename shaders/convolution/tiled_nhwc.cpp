// Convolution from shared memory: halo of 16 x 16 outputs, filters of 8 channels; NHWC, KRSC.
// Buffers: 0 x[n*h*w, c] T read, 1 filter[k*r*s, c] T read, 2 y[n*p*q, k] f32 write; padded rows.
// Constants: Shape, input channels per step, halo width and area (elements), tiles along q, p, k,
// divisors (convolution/tiled.hpp). Group: 256 lanes, 16 x 16 pixels of 8 channels.
// dtypes: f16 f32
// Source: own.
#define PARALLAX_NHWC 1
#include "shaders/convolution/tiled.hpp"
