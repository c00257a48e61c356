#pragma once

#include <optional>

#include "backends/device.hpp"
#include "workloads/dtype.hpp"

namespace parallax {

/// Says whether fma() rounds once on the device in the type that a dtype is computed in (f32 for
/// f16), by running it. Nothing for integers and where the device lacks the probe or the type.
/// Source: for x = 1 + 2^-j, x x - (1 + 2^(1-j)) is 2^(-2j), which rounding x x first turns into 0.
/// Errors: throws DeviceError when a call fails.
std::optional<bool> fuses_fma(Device& device, Dtype dtype);

}  // namespace parallax
