#pragma once

#include <string_view>

namespace parallax {

/// Writes to stderr. What cannot be written is lost: no log may end a measurement.
void say(std::string_view text);

}  // namespace parallax
