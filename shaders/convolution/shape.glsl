// What every convolution kernel is told, in elements, and where elements lie. Rows are padded to 16
// bytes: x_pitch, filter_pitch and y_pitch apart. A tap is a place of the filter, r * s in all.
// With PARALLAX_NHWC a row holds the channels of one place, without it a line of one channel (x, y)
// or a whole filter. The constants call the shape `dim`; macros, since it cannot be passed without
// a copy.
#include "mac.glsl"

struct Shape {
  uint n, c, h, w, k, r, s, stride, pad, p, q, x_pitch, filter_pitch, y_pitch;
};

#if defined(PARALLAX_NHWC)
#define X_AT(n_, c_, h_, w_) ((((n_) * dim.h + (h_)) * dim.w + (w_)) * dim.x_pitch + (c_))
#define FILTER_AT(k_, c_, tap_) (((k_) * dim.r * dim.s + (tap_)) * dim.filter_pitch + (c_))
#define Y_AT(n_, k_, p_, q_) ((((n_) * dim.p + (p_)) * dim.q + (q_)) * dim.y_pitch + (k_))
#else
#define X_AT(n_, c_, h_, w_) ((((n_) * dim.c + (c_)) * dim.h + (h_)) * dim.x_pitch + (w_))
#define FILTER_AT(k_, c_, tap_) ((k_) * dim.filter_pitch + (c_) * dim.r * dim.s + (tap_))
#define Y_AT(n_, k_, p_, q_) ((((n_) * dim.k + (k_)) * dim.p + (p_)) * dim.y_pitch + (q_))
#endif

// Divides a number below 2^31 by a constant of the launch: n * multiplier >> (31 + shift).
struct Divisor {
  uint multiplier, shift;
};
uint divide(uint n, Divisor by) {
  uint high, low;
  umulExtended(2 * n, by.multiplier, high, low);
  return high >> by.shift;
}
