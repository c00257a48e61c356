// Adds two vectors, one element per lane: c[i] = a[i] + b[i].
// Buffers: 0 a[n] T read, 1 b[n] T read, 2 c[n] T write.
// Constants: n (u32, elements). Group: 256 lanes, 256 elements.
// dtypes: f16 f32 f64 i32
// Source: own.
#include "shaders/dtype.hpp"
#include "shaders/host.hpp"

namespace {
struct Constants {
  std::uint32_t n;
};
}  // namespace

void PARALLAX_KERNEL(const parallax::HostGroup& group) {
  const T* a = parallax::buffer<T>(group, 0);
  const T* b = parallax::buffer<T>(group, 1);
  T* c = parallax::buffer<T>(group, 2);
  const auto k = parallax::constants<Constants>(group);
  for (std::uint32_t lane = 0; lane < 256; ++lane) {
    const std::uint32_t i = parallax::linear_group(group) * 256 + lane;
    if (i < k.n) c[i] = add(a[i], b[i]);
  }
}
