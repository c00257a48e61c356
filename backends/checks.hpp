/// Checks that every backend makes the same way, so that one wrong call gets one answer everywhere.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "backends/device.hpp"

namespace parallax {

/// Says why a group does not fit the device, with both numbers, or nothing if it fits.
/// Units: lanes per dimension. A limit of 0 is not checked.
std::optional<std::string> group_over_limits(const DeviceInfo& info, Extent3 group_size);

/// Says why a dtype cannot be computed on the device ("f64" without the feature f64), or nothing.
/// The dtype is the last part of a kernel's name.
std::optional<std::string> dtype_unsupported(const DeviceInfo& info, std::string_view kernel_name);

/// Checks the arguments of Device::run against its contract.
/// Errors: throws std::invalid_argument that names the launch and the limit.
void check_run(const DeviceInfo& info, std::span<const Launch> lead_in,
               std::span<const Launch> launches, std::uint32_t repeats);

/// Checks the size of Device::allocate: drivers disagree on empty buffers.
/// Errors: throws std::invalid_argument for 0.
void check_allocate(std::uint64_t size_bytes);

/// Checks the sizes of Device::write and Device::read. Errors: throws std::invalid_argument.
void check_copy(const Buffer& buffer, std::uint64_t size_bytes);

/// Checks the size of Device::fill. Errors: throws std::invalid_argument.
void check_fill(const Buffer& buffer);

/// Ticks from `start` to `end` of a counter that wraps after `valid_bits` bits.
/// Units: ticks. `valid_bits` is 1 to 64.
std::uint64_t elapsed_ticks(std::uint64_t start, std::uint64_t end, std::uint32_t valid_bits);

/// Nanoseconds from `start` to `end`, or nothing for a clock without valid bits.
std::optional<double> elapsed_ns(std::uint64_t start, std::uint64_t end, const Timer& timer);

}  // namespace parallax
