// Names for kernels that multiply and add, by the dtype of their inputs: T a stored input, S what
// it is computed in, kV and kW how many of each fill sixteen bytes. f16 is multiplied and added as
// f32. i8 is multiplied and added modulo 2^32, as unsigned, so that no overflow is undefined; the
// bits are those of i32.
#pragma once

#include <cstdint>

#include "workloads/half.hpp"

// One set of names per compiled kernel.
namespace {

#if defined(PARALLAX_F16)
using T = parallax::Half;
using S = float;
#elif defined(PARALLAX_F32)
using T = float;
using S = float;
#elif defined(PARALLAX_F64)
using T = double;
using S = double;
#elif defined(PARALLAX_I8)
using T = std::int8_t;
using S = std::uint32_t;
#endif

constexpr std::uint32_t kV = 16 / sizeof(T);
constexpr std::uint32_t kW = 16 / sizeof(S);

// Two roundings: the build forbids contraction, so that the host gives the same bits whether or not
// the processor has a fused instruction.
inline S mac(S a, S b, S c) { return a * b + c; }

inline S widen(T x) {
#if defined(PARALLAX_I8)
  return static_cast<S>(static_cast<std::int32_t>(x));
#else
  return static_cast<S>(x);
#endif
}

}  // namespace
