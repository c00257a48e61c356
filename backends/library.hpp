#pragma once

#include <span>
#include <string>
#include <variant>

#include "backends/device.hpp"

namespace parallax {

/// A shared library opened at run time and never closed: drivers install threads and exit handlers
/// that must not lose their code.
class Library {
 public:
  /// Opens the first of `names` that loads.
  /// Errors: returns Absent naming every file tried and the loader's last words.
  static std::variant<Library, Absent> open(std::span<const char* const> names);

  /// Returns the address of `name`, or nullptr.
  [[nodiscard]] void* symbol(const char* name) const;

  /// The name under which the library was opened.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  Library(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
  void* handle_;
  std::string name_;
};

}  // namespace parallax
