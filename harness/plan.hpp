#pragma once

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "harness/case_name.hpp"
#include "harness/inventory.hpp"
#include "harness/options.hpp"
#include "harness/status.hpp"

namespace parallax {

/// One device of a planned case. A status other than ok was decided here and is final.
struct PlannedDevice {
  std::string device;  ///< device id
  Outcome outcome;
};

/// One case on one physical GPU, through each chosen device of it.
struct PlannedCase {
  CaseName name;
  const Workload* workload = nullptr;
  Tier tier = Tier::matched;
  std::string gpu;
  std::vector<PlannedDevice> devices;
  [[nodiscard]] Problem problem() const { return {.dtype = name.dtype, .size = name.size}; }
};

/// Refuses a value of a filter that nothing of its kind is called.
/// Errors: throws CommandError(kExitUsage) with the nearest valid name.
void check_names(std::string_view option, const std::vector<std::string>& values,
                 const std::set<std::string>& known);

/// Reads the text of --filter. Errors: throws CommandError(kExitUsage) for no regular expression.
std::regex compile_filter(const std::string& text);

/// Refuses names of APIs that the sources do not know.
/// Errors: throws CommandError(kExitUsage) with the nearest valid name.
void check_apis(const Backends& backends, const std::vector<std::string>& apis);

/// Chooses devices by the filters. Default: every API of the best discrete GPU, else of the best
/// integrated one, else, on a machine without a GPU, of the CPU. A CPU device is otherwise chosen
/// only by --api host or by --device. Aliases run once unless they are named by --device.
/// Errors: throws CommandError(kExitUsage) for an unknown API or a selector that matches nothing
///         or, as an index, more than one device; CommandError(kExitNoDevice) when the filters are
///         valid but this machine has no such device, with the reason of each absent API.
std::vector<std::string> choose_devices(const Backends& backends, const Filters& filters,
                                        std::vector<std::string>& notes);

/// Crosses cases with devices, in the order workload, dtype, size, variant. What a device cannot
/// run for a reason known in advance gets its status here: buffer, binding and memory limits and
/// group counts, each with both numbers.
/// Errors: throws CommandError(kExitUsage) for an unknown workload, dtype, variant or tier, with the
///         nearest valid name, for a bad size or regex, and when nothing matches.
std::vector<PlannedCase> make_plan(const std::vector<const Workload*>& workloads,
                                   const Inventory& inventory,
                                   const std::vector<std::string>& devices, const Filters& filters,
                                   Preset preset);

/// Says why a problem's buffers or launches exceed a published limit of the device, or nothing.
/// Units: each buffer is followed by `guard_bytes` of the suite's own.
std::optional<std::string> over_limits(const DeviceInfo& info, const Workload& workload,
                                       const Problem& problem, std::string_view variant);

}  // namespace parallax
