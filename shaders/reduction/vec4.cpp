// Sums n elements into one value per group: a grid-stride loop of 16-byte loads, then a tree.
// Buffers: 0 in[n] T read in units V of 16 bytes, the last one padded, 1 sums[groups] T write.
// Constants: n (u32, elements). Group: 256 lanes, 1 sum; groups in x only.
// dtypes: f32 f64 i32
// Source: own.
#include <algorithm>

#include "shaders/host.hpp"
#include "shaders/reduction/group_sum.hpp"

namespace {
struct Constants {
  std::uint32_t n;
};
}  // namespace

void PARALLAX_KERNEL(const parallax::HostGroup& group) {
  constexpr std::size_t kV = 16 / sizeof(T);
  const T* in = parallax::buffer<T>(group, 0);
  const std::size_t n = parallax::constants<Constants>(group).n;
  // All lanes take a step together; kV neighbouring accumulators are those of one lane.
  std::array<T, 256 * kV> sums{};
  const std::size_t step = sums.size();
  for (std::size_t first = group.group.x * step; first < n; first += group.groups.x * step) {
    const std::size_t count = std::min(step, n - first);
    for (std::size_t i = 0; i < count; ++i) sums[i] = add(sums[i], in[first + i]);
  }
  std::array<T, 256> lane_sums{};
  for (std::size_t lane = 0; lane < 256; ++lane) {
    const T* x = &sums[lane * kV];
    lane_sums[lane] = kV == 2 ? add(x[0], x[1]) : add(add(x[0], x[1]), add(x[2], x[3]));
  }
  parallax::buffer<T>(group, 1)[group.group.x] = group_sum(lane_sums);
}
