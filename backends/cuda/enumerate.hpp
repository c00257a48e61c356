#pragma once

#include "backends/device.hpp"

namespace parallax::cuda {

/// Lists the CUDA devices, or says why there are none. Creates no context. The index in an id is
/// the runtime's ordinal, so it follows CUDA_VISIBLE_DEVICES.
/// Errors: a device that fails becomes a note and the others stay.
DeviceList enumerate();

}  // namespace parallax::cuda
