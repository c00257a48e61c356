/// What the backend reads out of a SPIR-V module before a driver sees it: drivers may crash on what
/// they do not support instead of refusing it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/device_code.hpp"

namespace parallax::vulkan {

/// Copies embedded code into words: embedded bytes have no alignment.
std::vector<std::uint32_t> spirv_words(const DeviceCode& code);

/// Lists the capabilities that a module declares, by number.
std::vector<std::uint32_t> declared_capabilities(std::span<const std::uint32_t> module);

/// Sums the shared variables of a module.
/// Units:  bytes without padding. An array whose length is computed from specialization constants
///         counts as empty, so the sum is a lower bound.
std::uint64_t shared_bytes(std::span<const std::uint32_t> module);

}  // namespace parallax::vulkan
