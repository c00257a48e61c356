#pragma once

#include <string>

namespace parallax::vulkan {

/// Says in one line why the loader found no driver: where it searched for manifests and what is
/// there. Names no folder of the user.
std::string no_driver_reason();

/// Says why a machine with an NVIDIA driver shows no NVIDIA device to Vulkan, or "" where there is
/// no such driver. Call it only when none was listed.
std::string missing_nvidia_reason();

}  // namespace parallax::vulkan
