#include "harness/console.hpp"

#include <cstdio>

namespace parallax {

void say(std::string_view text) {
  [[maybe_unused]] const std::size_t written = std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace parallax
