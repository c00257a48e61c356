// Names of the dtype that this file is compiled for: T one stored element, V sixteen bytes of them,
// LOAD, STORE, add() and add_vector(). f16 is stored as half and added in f32, the rule that every
// API can follow; vload_half and vstore_half need no half arithmetic.
#if defined(PARALLAX_F16)
typedef half T;
typedef uint4 V;
typedef float S;
#define LOAD(p, i) vload_half(i, p)
#define STORE(p, i, x) vstore_half_rte(x, i, p)
S add(S a, S b) { return a + b; }
V add_vector(V a, V b) {
  V sum;
  vstore_half8_rte(vload_half8(0, (const private half*)&a) + vload_half8(0, (const private half*)&b),
                   0, (private half*)&sum);
  return sum;
}
#else
#if defined(PARALLAX_F32)
typedef float T;
typedef float4 V;
#elif defined(PARALLAX_F64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double T;
typedef double2 V;
#elif defined(PARALLAX_I32)
// Unsigned, because i32 adds modulo 2^32 in every API.
typedef uint T;
typedef uint4 V;
#endif
typedef T S;
#define LOAD(p, i) (p)[i]
#define STORE(p, i, x) (p)[i] = (x)
S add(S a, S b) { return a + b; }
V add_vector(V a, V b) { return a + b; }
#endif
