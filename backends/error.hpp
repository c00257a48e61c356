#pragma once

#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>

namespace parallax {

/// A native call that failed. Thrown by backends, caught in one place (the case), turned into a
/// row.
class DeviceError : public std::runtime_error {
 public:
  enum class Kind {
    failed,         ///< any other failure of a call
    out_of_memory,  ///< memory ran out although the size is within the published limits
    device_lost,    ///< the device is unusable from now on; it must be closed
    build_failed    ///< device code did not build; log() holds the compiler's words
  };

  /// Describes the failure in one line: "<call> returned <code_name> (<code>) at <file>:<line>".
  /// `code_name` may be empty. `log` may have many lines and is kept out of what().
  DeviceError(Kind kind, std::string call, std::int64_t code, const std::string& code_name,
              std::string log = {}, std::source_location where = std::source_location::current());

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] const std::string& call() const { return call_; }
  [[nodiscard]] std::int64_t code() const { return code_; }
  [[nodiscard]] const std::string& log() const { return log_; }

 private:
  Kind kind_;
  std::string call_;
  std::int64_t code_;
  std::string log_;
};

}  // namespace parallax
