#pragma once

#include <string>
#include <vector>

#include "backends/opencl/api.hpp"

namespace parallax::opencl {

/// A device with the handles that open() needs.
struct Found {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  DeviceInfo info;
};

struct Enumeration {
  std::vector<Found> found;        ///< platform by platform; the position is the device's index
  std::vector<std::string> notes;  ///< one line per platform or device that was left out
  std::string reason;              ///< why `found` is empty
};

/// Finds every device of every platform without creating a context. One device that two platforms
/// report is found twice: telling aliases apart takes more than one API's view.
/// Errors: a platform or device that fails becomes a note and the others stay.
Enumeration enumerate(const Api& api);

}  // namespace parallax::opencl
