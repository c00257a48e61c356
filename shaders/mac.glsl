// Names for kernels that multiply and add, by the dtype of their inputs:
//   T  a stored input            V  sixteen bytes of T, kV of them
//   S  what it is computed in    SV sixteen bytes of S, kW of them
// f16 is multiplied and added as f32. i8 is multiplied and added modulo 2^32, as unsigned, so that
// no overflow is undefined; the bits are those of i32. A kernel that stores T by itself defines
// PARALLAX_SCALAR first; sixteen bytes of f16 or i8 travel as words, which needs no small storage.
#if defined(PARALLAX_F16)
#if defined(PARALLAX_SCALAR)
#extension GL_EXT_shader_16bit_storage : require
#define T float16_t
#endif
#define V uvec4
#define S float
#define SV vec4
const uint kV = 8, kW = 4;
#elif defined(PARALLAX_F32)
#define T float
#define V vec4
#define S float
#define SV vec4
const uint kV = 4, kW = 4;
#elif defined(PARALLAX_F64)
#define T double
#define V dvec2
#define S double
#define SV dvec2
const uint kV = 2, kW = 2;
#elif defined(PARALLAX_I8)
#if defined(PARALLAX_SCALAR)
#extension GL_EXT_shader_8bit_storage : require
#define T int8_t
#endif
#define V uvec4
#define S uint
#define SV uvec4
const uint kV = 16, kW = 4;
#endif

#if defined(PARALLAX_I8)
#define MAC(a, b, c) ((a) * (b) + (c))
#define WIDEN(x) uint(int(x))
#else
#define MAC(a, b, c) fma(a, b, c)
#define WIDEN(x) S(x)
#endif

// Widens the elements of a vector in order.
void unpack(V v, out S x[kV]) {
  for (uint i = 0; i < kV; ++i) {
#if defined(PARALLAX_F16)
    x[i] = unpackHalf2x16(v[i / 2])[i % 2];
#elif defined(PARALLAX_I8)
    x[i] = uint(bitfieldExtract(int(v[i / 4]), int(8 * (i % 4)), 8));
#else
    x[i] = v[i];
#endif
  }
}
