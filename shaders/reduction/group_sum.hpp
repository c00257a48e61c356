// Sum of one value per lane over a group of 256 by a tree.
#pragma once

#include <array>

#include "shaders/dtype.hpp"

// One set of names per compiled kernel.
namespace {

inline T group_sum(std::array<T, 256> sums) {
  for (std::size_t width = 128; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      sums[lane] = add(sums[lane], sums[lane + width]);
    }
  }
  return sums[0];
}

}  // namespace
