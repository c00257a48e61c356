#pragma once

#include <string>
#include <string_view>

namespace parallax {

/// Makes one line that any terminal shows: invalid UTF-8 becomes U+FFFD, control characters spaces.
std::string one_line(std::string_view text);

}  // namespace parallax
