#include "harness/one_line.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace parallax {

std::string one_line(std::string_view text) {
  using Json = nlohmann::json;
  const std::string repaired = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string line = Json::parse(repaired).get<std::string>();
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return line;
}

}  // namespace parallax
