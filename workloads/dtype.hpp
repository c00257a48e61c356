#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace parallax {

/// Element types. Names are the last part of kernel names and the second of case names.
enum class Dtype { f16, f32, f64, i8, i32 };

/// All of them, in order.
inline constexpr Dtype kDtypes[] = {Dtype::f16, Dtype::f32, Dtype::f64, Dtype::i8, Dtype::i32};

std::string_view to_string(Dtype dtype);
std::optional<Dtype> parse_dtype(std::string_view text);
std::uint64_t size_bytes(Dtype dtype);

}  // namespace parallax
