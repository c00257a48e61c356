#pragma once

#include <string>
#include <string_view>

namespace parallax {

/// Makes one line that any terminal shows: invalid UTF-8 becomes U+FFFD, control characters spaces.
/// For text on its way to a person; files keep what a driver said.
std::string one_line(std::string_view text);

}  // namespace parallax
