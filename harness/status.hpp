#pragma once

#include <string>
#include <string_view>

namespace parallax {

/// What became of one case on one device.
enum class Status {
  ok,           ///< measured and verified; the only status with numbers
  unsupported,  ///< no kernel, no feature, library absent, or a size over a published limit
  skipped,      ///< planned out by filter or budget
  invalid,      ///< wrong result or impossible number
  error         ///< a call failed, memory ran out within the limits, crash, no answer in time
};
std::string_view to_string(Status status);

/// A status and, for every status but ok, its reason in one line.
struct Outcome {
  Status status = Status::ok;
  std::string reason;
  bool device_lost = false;  ///< the device is unusable from now on
  [[nodiscard]] bool ok() const { return status == Status::ok; }
};

}  // namespace parallax
