#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

namespace parallax {

/// Why a text is not acceptable JSON, in one line, with a JSON pointer where there is one.
struct JsonError {
  std::string message;
};

/// Reads JSON from a source that nobody vouches for. Beyond the grammar it refuses repeated keys,
/// a byte order mark and sizes no result file has: 64 MiB, depth 64, two million values, texts of
/// 4 KiB. Those bounds also bound the memory and the stack that a check of the value can take.
std::variant<nlohmann::json, JsonError> parse_strict_json(std::string_view text);

/// Shows a piece of such a text in a message of one line: other bytes than printable ASCII are
/// escaped, and it is cut at 200 bytes.
std::string printable(std::string_view text);

}  // namespace parallax
