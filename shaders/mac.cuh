// Names for kernels that multiply and add, by the dtype of their inputs:
//   T  a stored input            V  sixteen bytes of T, kV of them
//   S  what it is computed in    SV sixteen bytes of S, kW of them
// f16 is multiplied and added as f32. i8 is multiplied and added modulo 2^32, as unsigned, so that
// no overflow is undefined; the bits are those of i32.
#pragma once

#if defined(PARALLAX_F16)
#include <cuda_fp16.h>
using T = __half;
using V = uint4;
using S = float;
using SV = float4;
#elif defined(PARALLAX_F32)
using T = float;
using V = float4;
using S = float;
using SV = float4;
#elif defined(PARALLAX_F64)
using T = double;
using V = double2;
using S = double;
using SV = double2;
#elif defined(PARALLAX_I8)
using T = signed char;
using V = uint4;
using S = unsigned;
using SV = uint4;
#endif

constexpr unsigned kV = 16 / sizeof(T);
constexpr unsigned kW = 16 / sizeof(S);

__device__ inline float mac(float a, float b, float c) { return fmaf(a, b, c); }
__device__ inline double mac(double a, double b, double c) { return fma(a, b, c); }
__device__ inline unsigned mac(unsigned a, unsigned b, unsigned c) { return a * b + c; }

__device__ inline S widen(T x) {
#if defined(PARALLAX_F16)
  return __half2float(x);
#elif defined(PARALLAX_I8)
  return static_cast<unsigned>(static_cast<int>(x));
#else
  return x;
#endif
}

// Widens the elements of a vector in order.
__device__ inline void unpack(V v, S (&x)[kV]) {
  const T* t = reinterpret_cast<const T*>(&v);
#pragma unroll
  for (unsigned i = 0; i < kV; ++i) x[i] = widen(t[i]);
}

__device__ inline void unpack_sv(SV v, S (&x)[kW]) {
  const S* s = reinterpret_cast<const S*>(&v);
#pragma unroll
  for (unsigned i = 0; i < kW; ++i) x[i] = s[i];
}
