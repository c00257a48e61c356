#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace parallax {

/// Element types. Names are the last part of kernel names and the second of case names.
enum class Dtype { f16, f32, f64, i32 };

std::string_view to_string(Dtype dtype);
std::optional<Dtype> parse_dtype(std::string_view text);
std::uint64_t size_bytes(Dtype dtype);

}  // namespace parallax
