/// The worker seam. On one side schedule, statistics and file; on the other case, timed loop and
/// devices. Only plain results cross it, so a worker can live in this process, in a child, or in
/// another build of the suite, and the schedule does not know the difference.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/device.hpp"
#include "harness/case_name.hpp"
#include "harness/status.hpp"
#include "workloads/compare.hpp"

namespace parallax {

/// ClockFacts::source when samples are timed by the host because the device has no usable clock.
inline constexpr const char* kHostClock = "host_clock";

/// The clock that a worker's samples come from, decided once when the device is opened.
struct ClockFacts {
  std::string source;         ///< DeviceInfo::timer.source, or "host_clock"
  std::string note;           ///< why the host clock is used; empty for a device clock
  double spin_step_ns = 0.0;  ///< duration of one iteration of the lead-in kernel
};

struct PrepareRequest {
  CaseName name;
  std::uint64_t seed = 1;
  std::shared_ptr<const Reference> expected;  ///< computed once per case, shared by all workers
  std::shared_ptr<const Reference> exact;     ///< the same for Fill::integers; null: not checked
};

/// What the check of one output found.
struct VerifyReply {
  Outcome outcome;  ///< ok, or invalid / error with a reason
  Verdict verdict;
  std::uint64_t output_digest = 0;
};

struct PrepareReply {
  Outcome outcome;  ///< ok; unsupported: no kernel; invalid: wrong result; error: a call failed
  VerifyReply verify;
  KernelFacts kernel;  ///< of the variant's first step
  Extent3 group_size;
  Extent3 groups;
};

/// Asks for `samples` kept samples of the prepared case after `discard` unkept ones.
struct BlockRequest {
  std::uint32_t samples = 5;
  std::uint32_t discard = 2;
  std::uint32_t repeats = 1;             ///< N: ordered runs of the case in one bracket
  std::uint32_t lead_in_iterations = 0;  ///< length of the spin
};

/// One bracket. Units: t_ns is for one of the N runs, the others for the whole bracket.
struct Sample {
  double t_ns = 0.0;
  double leadin_ns = 0.0;  ///< 0 with the host clock, which needs no lead-in
  double host_ns = 0.0;
  double enqueue_ns = 0.0;
};

struct BlockReply {
  Outcome outcome;  ///< ok; invalid: an impossible number; error: a call failed
  std::vector<Sample> samples;
  bool starved =
      false;  ///< in some sample the host handed over more slowly than the lead-in lasted
};

class Worker {
 public:
  virtual ~Worker() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  [[nodiscard]] virtual const ClockFacts& clock() const = 0;

  /// Allocates, fills, poisons, runs once and verifies: with integers where `exact` is given, then
  /// with the random inputs that stay. On any outcome but ok nothing is held.
  /// Errors of the device become an Outcome; no method throws for them.
  virtual PrepareReply prepare(const PrepareRequest& request) = 0;
  virtual BlockReply block(const BlockRequest& request) = 0;
  /// Checks the output as the last sample left it.
  virtual VerifyReply verify() = 0;
  /// Gives back everything that prepare() took. Harmless without a prepared case.
  virtual void release() = 0;
};

/// Opens a device and serves it in this process.
/// Errors: throws DeviceError when the device does not open or its lead-in kernel does not run.
std::unique_ptr<Worker> make_local_worker(Backend& backend, std::string_view device_id,
                                          const std::vector<const Workload*>& workloads);

}  // namespace parallax
