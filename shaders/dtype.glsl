// Names of the dtype that this file is compiled for: T one stored element, S the type it is added
// in, V sixteen bytes of stored elements, LOAD and add_vector(). f16 is stored as half and added in
// f32, the rule that every API can follow; sixteen bytes of it travel as words, which needs no
// 16-bit storage.
#if defined(PARALLAX_F16)
#if defined(PARALLAX_SCALAR)
#extension GL_EXT_shader_16bit_storage : require
#define T float16_t
#endif
#define S float
#define V uvec4
uint add_pair(uint a, uint b) { return packHalf2x16(unpackHalf2x16(a) + unpackHalf2x16(b)); }
V add_vector(V a, V b) {
  return V(add_pair(a.x, b.x), add_pair(a.y, b.y), add_pair(a.z, b.z), add_pair(a.w, b.w));
}
#else
#if defined(PARALLAX_F32)
#define T float
#define V vec4
#elif defined(PARALLAX_F64)
#define T double
#define V dvec2
#elif defined(PARALLAX_I32)
// Unsigned, because i32 adds modulo 2^32 in every API.
#define T uint
#define V uvec4
#endif
#define S T
V add_vector(V a, V b) { return a + b; }
#endif
