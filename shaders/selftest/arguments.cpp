// Shows how buffers and constants bind: out[i] = a[i] + 10 b[i] + 100 p + 1000 q.
// Buffers: 0 a[n] u32 read, 1 b[n] u32 read, 2 out[n] u32 write.
// Constants: n, p, q (u32). Group: 64 lanes, 64 elements.
// dtypes: u32
// Source: own.
#include "shaders/host.hpp"

namespace {
struct Constants {
  std::uint32_t n, p, q;
};
}  // namespace

void PARALLAX_KERNEL(const parallax::HostGroup& group) {
  const auto* a = parallax::buffer<std::uint32_t>(group, 0);
  const auto* b = parallax::buffer<std::uint32_t>(group, 1);
  auto* out = parallax::buffer<std::uint32_t>(group, 2);
  const auto k = parallax::constants<Constants>(group);
  for (std::uint32_t lane = 0; lane < 64; ++lane) {
    const std::uint32_t i = parallax::linear_group(group) * 64 + lane;
    if (i < k.n) out[i] = a[i] + 10 * b[i] + 100 * k.p + 1000 * k.q;
  }
}
