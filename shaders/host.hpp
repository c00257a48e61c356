// What a host kernel needs: typed views of its buffers and constants.
#pragma once

#include <cstdint>
#include <cstring>

#include "backends/device_code.hpp"

namespace parallax {

/// Views buffer `index` of the launch as elements of T.
template <typename T>
T* buffer(const HostGroup& group, std::size_t index) {
  return reinterpret_cast<T*>(group.buffers[index]);
}

/// Copies the constants block into its struct.
template <typename C>
C constants(const HostGroup& group) {
  C value;
  std::memcpy(&value, group.constants.data(), sizeof value);
  return value;
}

/// Index of this group when the groups of a launch are counted along x, then y.
inline std::uint32_t linear_group(const HostGroup& group) {
  return group.group.y * group.groups.x + group.group.x;
}

}  // namespace parallax
