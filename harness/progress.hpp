#pragma once

#include <string>

namespace parallax {

/// Whether text on this file descriptor may carry colour: a terminal, and NO_COLOR is not set.
bool colour_allowed(int file_descriptor);

/// Progress on stderr: one live line on a terminal, plain lines otherwise.
class Progress {
 public:
  explicit Progress(std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Says that case `index` (from 0) begins.
  void begin(std::size_t index, const std::string& name);

  /// Prints a line that stays, above the live one.
  void note(const std::string& line);

 private:
  void clear();
  std::size_t total_;
  bool live_;
};

}  // namespace parallax
