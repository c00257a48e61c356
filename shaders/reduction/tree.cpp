// Sums n elements into one value per group: a grid-stride loop of scalar loads, then a tree.
// Buffers: 0 in[n] T read, 1 sums[groups] T write.
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
  const T* in = parallax::buffer<T>(group, 0);
  const std::size_t n = parallax::constants<Constants>(group).n;
  // All lanes take a step together: neighbouring lanes read neighbouring elements.
  std::array<T, 256> lane_sums{};
  const std::size_t step = lane_sums.size();
  for (std::size_t first = group.group.x * step; first < n; first += group.groups.x * step) {
    const std::size_t count = std::min(step, n - first);
    for (std::size_t i = 0; i < count; ++i) lane_sums[i] = add(lane_sums[i], in[first + i]);
  }
  parallax::buffer<T>(group, 1)[group.group.x] = group_sum(lane_sums);
}
