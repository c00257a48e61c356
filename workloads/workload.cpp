#include "workloads/workload.hpp"

#include <fmt/format.h>

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
    case Dtype::i32:
      break;
  }
  return "i32";
}

std::optional<Dtype> parse_dtype(std::string_view text) {
  for (Dtype dtype : {Dtype::f16, Dtype::f32, Dtype::f64, Dtype::i32}) {
    if (text == to_string(dtype)) return dtype;
  }
  return std::nullopt;
}

std::uint64_t size_bytes(Dtype dtype) {
  switch (dtype) {
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
