#include "workloads/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "workloads/parallel.hpp"

namespace parallax {

std::uint64_t Problem::dim(std::string_view name) const {
  for (const Dim& d : size) {
    if (d.name == name) return d.value;
  }
  throw std::out_of_range(fmt::format("no dimension {}", name));
}

const std::string& Problem::word(std::string_view name) const {
  for (const Dim& d : size) {
    if (d.name == name) return d.word;
  }
  throw std::out_of_range(fmt::format("no dimension {}", name));
}

std::uint64_t padded_pitch(std::uint64_t columns, Dtype dtype) {
  const std::uint64_t vector = 16 / size_bytes(dtype);
  return (columns + vector - 1) / vector * vector;
}

std::optional<Size> Workload::complete(const Size& size) const {
  const auto is_number = [](const Dim& dim) { return dim.word.empty(); };
  if (!std::ranges::equal(size, dims(), {}, &Dim::name)) return std::nullopt;
  if (!std::ranges::all_of(size, is_number)) return std::nullopt;
  return size;
}

std::string_view to_string(Tier tier) {
  switch (tier) {
    case Tier::matched:
      return "matched";
    case Tier::tuned:
      return "tuned";
    case Tier::vendor:
      break;
  }
  return "vendor";
}

std::string_view to_string(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return "f16";
    case Dtype::f32:
      return "f32";
    case Dtype::f64:
      return "f64";
    case Dtype::i8:
      return "i8";
    case Dtype::i32:
      break;
  }
  return "i32";
}

std::optional<Dtype> parse_dtype(std::string_view text) {
  for (Dtype dtype : kDtypes) {
    if (text == to_string(dtype)) return dtype;
  }
  return std::nullopt;
}

std::uint64_t size_bytes(Dtype dtype) {
  switch (dtype) {
    case Dtype::i8:
      return 1;
    case Dtype::f16:
      return 2;
    case Dtype::f64:
      return 8;
    case Dtype::f32:
    case Dtype::i32:
      break;
  }
  return 4;
}

Extent3 spread_groups(std::uint64_t total) {
  // A power of two, so that the usual sizes leave no excess groups.
  constexpr std::uint64_t kRow = 32768;
  if (total <= kRow) return {.x = static_cast<std::uint32_t>(total)};
  return {.x = kRow, .y = static_cast<std::uint32_t>((total + kRow - 1) / kRow)};
}

void parallel_ranges(std::uint64_t count,
                     const std::function<void(std::uint64_t, std::uint64_t)>& body,
                     std::uint64_t worth_a_thread) {
  const std::uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::uint64_t parts = std::min(cores, count / worth_a_thread);
  if (parts < 2) {
    if (count > 0) body(0, count);
    return;
  }
  std::vector<std::jthread> threads;
  for (std::uint64_t p = 0; p < parts; ++p) {
    threads.emplace_back(body, count * p / parts, count * (p + 1) / parts);
  }
}

}  // namespace parallax
