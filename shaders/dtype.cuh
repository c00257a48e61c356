// Names of the dtype that this file is compiled for: T one stored element, V sixteen bytes of them,
// add() on both. f16 is stored as half and added in f32, the rule that every API can follow.
#pragma once

#if defined(PARALLAX_F16)
#include <cuda_fp16.h>
using T = __half;
using V = uint4;
__device__ inline T add(T a, T b) { return __float2half_rn(__half2float(a) + __half2float(b)); }
__device__ inline unsigned add_pair(unsigned a, unsigned b) {
  const __half2 x = *reinterpret_cast<const __half2*>(&a);
  const __half2 y = *reinterpret_cast<const __half2*>(&b);
  const __half2 sum =
      __halves2half2(add(__low2half(x), __low2half(y)), add(__high2half(x), __high2half(y)));
  return *reinterpret_cast<const unsigned*>(&sum);
}
__device__ inline V add(V a, V b) {
  return make_uint4(add_pair(a.x, b.x), add_pair(a.y, b.y), add_pair(a.z, b.z), add_pair(a.w, b.w));
}
#elif defined(PARALLAX_F32)
using T = float;
using V = float4;
__device__ inline T add(T a, T b) { return a + b; }
__device__ inline V add(V a, V b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
#elif defined(PARALLAX_F64)
using T = double;
using V = double2;
__device__ inline T add(T a, T b) { return a + b; }
__device__ inline V add(V a, V b) { return make_double2(a.x + b.x, a.y + b.y); }
#elif defined(PARALLAX_I32)
// Unsigned, because i32 adds modulo 2^32 in every API.
using T = unsigned;
using V = uint4;
__device__ inline T add(T a, T b) { return a + b; }
__device__ inline V add(V a, V b) { return make_uint4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
#endif
