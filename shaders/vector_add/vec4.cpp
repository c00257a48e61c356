// Adds two vectors, sixteen bytes per lane and access: c[i] = a[i] + b[i].
// Buffers: 0 a[n16] V read, 1 b[n16] V read, 2 c[n16] V write; V is 16 bytes of T, padded.
// Constants: n16 (u32, units of 16 bytes). Group: 256 lanes, 4096 bytes.
// dtypes: f16 f32 f64 i32
// Source: own.
#include "shaders/dtype.hpp"
#include "shaders/host.hpp"

namespace {
struct Constants {
  std::uint32_t n16;
};
}  // namespace

void PARALLAX_KERNEL(const parallax::HostGroup& group) {
  constexpr std::uint32_t kVector = 16 / sizeof(T);
  const T* a = parallax::buffer<T>(group, 0);
  const T* b = parallax::buffer<T>(group, 1);
  T* c = parallax::buffer<T>(group, 2);
  const auto k = parallax::constants<Constants>(group);
  for (std::uint32_t lane = 0; lane < 256; ++lane) {
    const std::uint32_t i = parallax::linear_group(group) * 256 + lane;
    if (i >= k.n16) continue;
    for (std::uint32_t j = 0; j < kVector; ++j) {
      const std::size_t at = std::size_t{i} * kVector + j;
      c[at] = add(a[at], b[at]);
    }
  }
}
