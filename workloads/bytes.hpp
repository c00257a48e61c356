#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace parallax {

/// Leaves new elements as they are in memory: gigabytes that are about to be overwritten need no
/// zeros first.
template <typename T>
struct UninitializedAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  template <typename U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Args>
  void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
  }
};

/// Contents of a buffer on the host. A new size leaves new bytes undefined.
using Bytes = std::vector<std::byte, UninitializedAllocator<std::byte>>;

}  // namespace parallax
