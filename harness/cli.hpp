#pragma once

#include <vector>

#include "backends/registry.hpp"

namespace parallax {

/// Runs the command line on the given backends and returns the exit code of README.md.
int cli_main(int argc, char** argv, const std::vector<BackendEntry>& backends);

}  // namespace parallax
