#include "workloads/inputs.hpp"

#include <atomic>
#include <cstring>

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

std::uint64_t key_of(std::uint64_t seed, std::uint32_t stream) {
  return mix(mix(seed + kGolden) + (stream + 1) * kGolden);
}

/// Calls visit(convert) with the conversion of the dtype from 64 random bits.
template <typename Visit>
auto with_conversion(Dtype dtype, Visit visit) {
  switch (dtype) {
    case Dtype::f16:
      return visit(to_f16);
    case Dtype::f32:
      return visit(to_f32);
    case Dtype::f64:
      return visit(to_f64);
    case Dtype::i32:
      break;
  }
  return visit(to_i32);
}

}  // namespace

void fill_random(Dtype dtype, std::uint64_t seed, std::uint32_t stream,
                 std::span<std::byte> bytes) {
  const std::uint64_t key = key_of(seed, stream);
  with_conversion(dtype, [&](auto convert) {
    using T = decltype(convert(0));
    parallel_ranges(bytes.size() / sizeof(T), [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        const T value = convert(mix(key + (i + 1) * kGolden));
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof value);
      }
    });
  });
}

bool is_random(Dtype dtype, std::uint64_t seed, std::uint32_t stream,
               std::span<const std::byte> bytes) {
  const std::uint64_t key = key_of(seed, stream);
  std::atomic<bool> same = true;
  with_conversion(dtype, [&](auto convert) {
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

Bytes make_input(const BufferSpec& spec, std::uint64_t seed, std::uint32_t index) {
  Bytes bytes(spec.size_bytes());
  fill_random(spec.dtype, seed, index, bytes);
  return bytes;
}

}  // namespace parallax
