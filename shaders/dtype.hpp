// Names of the dtype that this file is compiled for: T one stored element, add(), and kVector, the
// elements in sixteen bytes. f16 is stored as half and added in f32, the rule that every API can
// follow.
#pragma once

#include <cstdint>

#include "workloads/half.hpp"

#if defined(PARALLAX_F16)
using T = parallax::Half;
inline T add(T a, T b) { return T(static_cast<float>(a) + static_cast<float>(b)); }
#elif defined(PARALLAX_F32)
using T = float;
inline T add(T a, T b) { return a + b; }
#elif defined(PARALLAX_F64)
using T = double;
inline T add(T a, T b) { return a + b; }
#elif defined(PARALLAX_I32)
// Unsigned, because i32 adds modulo 2^32 in every API.
using T = std::uint32_t;
inline T add(T a, T b) { return a + b; }
#endif
