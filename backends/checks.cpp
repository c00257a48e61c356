#include "backends/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace parallax {
namespace {

std::array<std::uint64_t, 3> as_array(Extent3 extent) { return {extent.x, extent.y, extent.z}; }

void check_launch(const DeviceInfo& info, const Launch& launch) {
  if (launch.kernel == nullptr) throw std::invalid_argument("launch without a kernel");
  if (launch.buffers.size() > kMaxBuffers) {
    throw std::invalid_argument(
        fmt::format("launch with {} buffers; at most {}", launch.buffers.size(), kMaxBuffers));
  }
  if (launch.constants.size() > kMaxConstantBytes || launch.constants.size() % 4 != 0) {
    throw std::invalid_argument(
        fmt::format("launch with {} bytes of constants; at most {}, in multiples of 4",
                    launch.constants.size(), kMaxConstantBytes));
  }
  const auto groups = as_array(launch.groups);
  for (std::size_t d = 0; d < groups.size(); ++d) {
    const std::uint64_t limit = info.limits.max_group_count[d];
    if (groups[d] == 0 || (limit != 0 && groups[d] > limit)) {
      throw std::invalid_argument(
          fmt::format("launch of {} groups in dimension {}; 1 to {}", groups[d], d, limit));
    }
  }
}

}  // namespace

std::optional<std::string> group_over_limits(const DeviceInfo& info, Extent3 group_size) {
  const Limits& limits = info.limits;
  if (limits.max_group_lanes != 0 && group_size.count() > limits.max_group_lanes) {
    return fmt::format("a group has {} lanes, the device allows {}", group_size.count(),
                       limits.max_group_lanes);
  }
  const auto size = as_array(group_size);
  for (std::size_t d = 0; d < size.size(); ++d) {
    const std::uint64_t limit = limits.max_group_size[d];
    if (limit != 0 && size[d] > limit) {
      return fmt::format("a group has {} lanes in dimension {}, the device allows {}", size[d], d,
                         limit);
    }
  }
  return std::nullopt;
}

std::optional<std::string> dtype_unsupported(const DeviceInfo& info, std::string_view kernel_name) {
  const bool f64 = kernel_name.ends_with("/f64");
  if (f64 && std::ranges::find(info.features, "f64") == info.features.end()) {
    return "the device has no f64 arithmetic";
  }
  return std::nullopt;
}

void check_run(const DeviceInfo& info, std::span<const Launch> lead_in,
               std::span<const Launch> launches, std::uint32_t repeats) {
  if (launches.empty() || repeats == 0) {
    throw std::invalid_argument("run needs at least one launch and one repeat");
  }
  for (const Launch& launch : lead_in) check_launch(info, launch);
  for (const Launch& launch : launches) check_launch(info, launch);
}

void check_allocate(std::uint64_t size_bytes) {
  if (size_bytes == 0) throw std::invalid_argument("a buffer of 0 bytes");
}

void check_copy(const Buffer& buffer, std::uint64_t size_bytes) {
  if (buffer.size_bytes() != size_bytes) {
    throw std::invalid_argument(
        fmt::format("copy of {} bytes with a buffer of {} bytes", size_bytes, buffer.size_bytes()));
  }
}

void check_fill(const Buffer& buffer) {
  if (buffer.size_bytes() % 4 != 0) {
    throw std::invalid_argument(
        fmt::format("fill of {} bytes; a multiple of 4 is needed", buffer.size_bytes()));
  }
}

std::uint64_t elapsed_ticks(std::uint64_t start, std::uint64_t end, std::uint32_t valid_bits) {
  // A shift by 64 is undefined, so the full mask is a case of its own.
  const std::uint64_t mask =
      valid_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << valid_bits) - 1;
  return (end - start) & mask;
}

std::optional<double> elapsed_ns(std::uint64_t start, std::uint64_t end, const Timer& timer) {
  if (timer.valid_bits == 0) return std::nullopt;
  return static_cast<double>(elapsed_ticks(start, end, timer.valid_bits)) * timer.period_ns;
}

}  // namespace parallax
