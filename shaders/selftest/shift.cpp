// Shows that a launch sees the writes of the one before: out[i] = in[(i + distance) mod n] + 1.
// Buffers: 0 in[n] u32 read, 1 out[n] u32 write.
// Constants: n, distance (u32). Group: 64 lanes, 64 elements.
// dtypes: u32
// Source: own.
#include "shaders/host.hpp"

namespace {
struct Constants {
  std::uint32_t n, distance;
};
}  // namespace

void PARALLAX_KERNEL(const parallax::HostGroup& group) {
  const auto* in = parallax::buffer<std::uint32_t>(group, 0);
  auto* out = parallax::buffer<std::uint32_t>(group, 1);
  const auto k = parallax::constants<Constants>(group);
  for (std::uint32_t lane = 0; lane < 64; ++lane) {
    const std::uint32_t i = parallax::linear_group(group) * 64 + lane;
    if (i < k.n) out[i] = in[(i + k.distance) % k.n] + 1;
  }
}
