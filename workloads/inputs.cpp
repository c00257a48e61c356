#include "workloads/inputs.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <type_traits>

#include "workloads/half.hpp"
#include "workloads/parallel.hpp"

namespace parallax {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;

float to_f32(std::uint64_t r) {
  return static_cast<float>(static_cast<std::int32_t>(r >> 32)) * 0x1p-31f;
}
double to_f64(std::uint64_t r) {
  return static_cast<double>(static_cast<std::int64_t>(r)) * 0x1p-63;
}
Half to_f16(std::uint64_t r) {
  return Half(static_cast<float>(static_cast<std::int32_t>(r >> 53) - 1024) * 0x1p-10f);
}
std::uint32_t to_i32(std::uint64_t r) { return static_cast<std::uint32_t>(r >> 32); }
std::int8_t to_i8(std::uint64_t r) { return static_cast<std::int8_t>(r >> 56); }

/// -2, -1, 1 or 2: a zero would hide a term that a kernel loses.
template <typename T>
T to_integer(std::uint64_t r) {
  constexpr std::array<int, 4> kValues = {-2, -1, 1, 2};
  const int value = kValues[r >> 62];
  if constexpr (std::is_same_v<T, Half>) {
    return Half(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

std::uint64_t key_of(std::uint64_t seed, std::uint32_t stream) {
  return mix(mix(seed + kGolden) + (stream + 1) * kGolden);
}

/// Calls visit(convert) with the conversion from 64 random bits.
template <typename Visit>
auto with_conversion(Dtype dtype, Fill fill, Visit visit) {
  const auto choose = [&](auto random) {
    using T = decltype(random(0));
    return fill == Fill::random ? visit(random) : visit(to_integer<T>);
  };
  switch (dtype) {
    case Dtype::f16:
      return choose(to_f16);
    case Dtype::f32:
      return choose(to_f32);
    case Dtype::f64:
      return choose(to_f64);
    case Dtype::i8:
      return choose(to_i8);
    case Dtype::i32:
      break;
  }
  return choose(to_i32);
}

}  // namespace

void fill_input(Dtype dtype, Fill fill, std::uint64_t seed, std::uint32_t stream,
                std::span<std::byte> bytes) {
  const std::uint64_t key = key_of(seed, stream);
  with_conversion(dtype, fill, [&](auto convert) {
    using T = decltype(convert(0));
    parallel_ranges(bytes.size() / sizeof(T), [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        const T value = convert(mix(key + (i + 1) * kGolden));
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof value);
      }
    });
  });
}

bool is_input(Dtype dtype, Fill fill, std::uint64_t seed, std::uint32_t stream,
              std::span<const std::byte> bytes) {
  const std::uint64_t key = key_of(seed, stream);
  std::atomic<bool> same = true;
  with_conversion(dtype, fill, [&](auto convert) {
    using T = decltype(convert(0));
    parallel_ranges(bytes.size() / sizeof(T), [&](std::uint64_t first, std::uint64_t last) {
      bool part = true;
      for (std::uint64_t i = first; i < last; ++i) {
        const T value = convert(mix(key + (i + 1) * kGolden));
        part &= std::memcmp(bytes.data() + i * sizeof(T), &value, sizeof value) == 0;
      }
      if (!part) same = false;
    });
  });
  return same;
}

std::vector<Bytes> make_inputs(std::span<const BufferSpec> specs, Fill fill, std::uint64_t seed) {
  std::vector<Bytes> inputs;
  for (std::uint32_t i = 0; i < specs.size(); ++i) {
    if (specs[i].role != Role::in) continue;
    inputs.emplace_back(specs[i].size_bytes());
    fill_input(specs[i].dtype, fill, seed, i, inputs.back());
  }
  return inputs;
}

}  // namespace parallax
