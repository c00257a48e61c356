/// The subcommands. Each returns an exit code, prints what was asked for on stdout and everything
/// else on stderr, and throws CommandError for one line and a code.
#pragma once

#include <filesystem>

#include "harness/inventory.hpp"
#include "harness/options.hpp"
#include "workloads/faults.hpp"

namespace parallax {

int devices_command(const Backends& backends, bool json);
int list_command(const Backends& backends, const Filters& filters, Preset preset, bool json);
int run_command(const Backends& backends, const RunOptions& options);

/// Runs every fault that the filters (workload, api, device, regex) leave on the devices that they
/// choose and on the host, and prints a table of what was caught. Tests pass faults of their own.
/// Errors: returns kExitFailedCases when a fault was not caught.
int selftest_command(const Backends& backends, const Filters& filters,
                     const std::vector<Fault>& faults = all_faults());

/// Checks a result file. Prints one line on stdout when it is valid, else one line per problem on
/// stderr.
/// Errors: returns kExitUsage for a file that is not valid or cannot be read.
int validate_command(const std::filesystem::path& path);

}  // namespace parallax
