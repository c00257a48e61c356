/// Facts of this build and of this machine, for the head of a result file.
#pragma once

#include <filesystem>
#include <string>

#include "harness/results.hpp"

namespace parallax {

/// What this binary was built from and with. The build fills it in; compiler flags that hold a
/// path are left out.
ToolFacts tool_facts();

/// Facts of the machine that cannot tell one user or one machine of a kind from another: no host
/// name, user name or path. A fact that cannot be had is empty or 0.
/// Order:  reads below `root`, so that tests can bring a machine of their own.
HostFacts host_facts(const std::filesystem::path& root = "/");

/// One line for --version: name, version, commit and what the binary was built with.
std::string version_line();

/// This moment in UTC, "2026-08-01T12:34:56Z".
std::string utc_now();

}  // namespace parallax
