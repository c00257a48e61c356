/// Devices that do what a script says, so that faults and clocks which no test machine has can be
/// replayed. They compute real results with the host kernels; only time and trouble are invented.
///
/// A script is a JSON object:
///   "apis":     {"<api>": API, ...}, at most kMaxApis, listed in this order
/// API:
///   "not_built" why the API is left out of the build        "reason"  why it has no device
///   "notes"     [text, ...]                                 "lacks"   [{"kernel", "reason"}, ...]
///   "devices"   [DEVICE, ...]
/// DEVICE, every field optional:
///   "name" (or "name_bytes": numbers, for names that are no UTF-8), "type" ("discrete_gpu"),
///   "uuid", "pci", "luid", "driver", "platform", "api_version", "features", "l2_bytes",
///   "limits":   the fields of Limits
///   "timer":    {"source", "period_ns", "valid_bits", "declared_ns"}
///   "start_tick"    value of the clock when a bracket's workload starts, 0 to 2^64 - 1
///   "spin_step_ns"  one iteration of a spin kernel (1)
///   "launch_ns"     fixed cost of a launch (2000)      "bytes_per_ns"  rate of the rest (1000)
///   "enqueue_ns"    host time of handing over (100)    "jitter"  share of a time, drawn at random
///   "times":    [{"kernel": regex, "first_constant", "ns"}, ...]: time of one launch, as given
///   "faults":   [FAULT, ...]
/// FAULT: which calls it meets
///   "call": "open|allocate|find_kernel|write|read|fill|run"
///   "kernel": regex on the name (find_kernel, run), "first_constant": of a run's first launch,
///   "constants": {"<index>": value, ...}: of a run's first launch, for one that is not the first
///   "min_bytes": of allocate, "bracketed": whether a run has a lead-in
///   "nth": 1 for the first call that matches the above; 0, the default, for all
///   "last": the last such call met, where "nth" opens a range; "nth" itself by default
/// and what happens
///   "throw": "failed|out_of_memory|device_lost|build_failed|bad_alloc"; "log": text;
///   "absent": reason of find_kernel
///   "effect": "skip" (nothing is computed), "skip_last_third" (of the last buffer without
///             its last 64 bytes),
///             "write_past_end" (the last 64 bytes of the last buffer), "modify_input", "flip_bit"
///   "set_device_ns", "set_leadin_ns": a number, "nan", "inf", or null for absent
///   "scale_device", "scale_leadin", "scale_host": factors;  "sleep_ms": real time of the call
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/registry.hpp"

namespace parallax::fake {

inline constexpr std::size_t kMaxApis = 4;

/// Makes one backend from the text of an API object of a script.
/// Errors: throws std::invalid_argument for text that is no such object.
std::unique_ptr<Backend> make_backend(std::string name, std::string_view api_json);

/// Names the APIs of the script in the file of PARALLAX_FAKE_SCRIPT, ready for cli_main(). Without
/// that variable: "fakea" and "fakeb" with one GPU, the same, each.
/// PARALLAX_FAKE_LOG names a file to which every call of a device appends one line.
std::vector<BackendEntry> backends_from_environment();

}  // namespace parallax::fake
