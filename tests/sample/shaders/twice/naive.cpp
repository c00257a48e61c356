// Adds a vector to itself, one element per lane: y[i] = x[i] + x[i].
// Buffers: 0 x[n] f32 read, 1 y[n] f32 write.
// Constants: n (u32, elements). Group: 256 lanes, 256 elements.
// dtypes: f32
// Source: own.
#include "shaders/host.hpp"

void PARALLAX_KERNEL(const parallax::HostGroup& group) {
  const float* x = parallax::buffer<float>(group, 0);
  float* y = parallax::buffer<float>(group, 1);
  const auto n = parallax::constants<std::uint32_t>(group);
  for (std::uint32_t lane = 0; lane < 256; ++lane) {
    const std::uint32_t i = parallax::linear_group(group) * 256 + lane;
    if (i < n) y[i] = x[i] + x[i];
  }
}
