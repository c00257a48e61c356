#include "harness/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "harness/console.hpp"
#include "harness/one_line.hpp"

namespace parallax {

bool colour_allowed(int file_descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  const bool refused = no_color != nullptr && *no_color != '\0';
  return !refused && isatty(file_descriptor) != 0;
}

Progress::Progress(std::size_t total) : total_(total), live_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { clear(); }

void Progress::begin(std::size_t index, const std::string& name) {
  clear();
  say(fmt::format("[{}/{}] {}{}", index + 1, total_, name, live_ ? "" : "\n"));
}

void Progress::note(const std::string& line) {
  clear();
  say(one_line(line) + "\n");
}

void Progress::clear() {
  if (live_) say("\r\x1b[K");
}

}  // namespace parallax
