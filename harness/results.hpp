/// The result file: its records in memory, the only writer, and the only C++ reader. The published
/// definition is results/schema/parallax-result-1.schema.json; names here and there are the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/device.hpp"
#include "harness/bits.hpp"
#include "harness/case_name.hpp"
#include "harness/inventory.hpp"
#include "harness/stats.hpp"
#include "harness/status.hpp"
#include "harness/worker.hpp"
#include "workloads/workload.hpp"

namespace parallax {

/// What this tool writes. It reads every 1.x.
inline constexpr std::string_view kSchemaVersion = "1.1";

/// Longest text of a result file. The writer cuts longer ones, such as what a driver's compiler
/// has to say; the reader refuses them.
inline constexpr std::size_t kMaxTextBytes = 1024;

/// Flag of an ok row that was checked but, as asked, not timed.
inline constexpr std::string_view kVerifyOnly = "verify_only";

struct ToolFacts {
  std::string name = "parallax";
  std::string version;
  std::string commit;    ///< short hash of the sources, "-dirty" appended; empty if unknown
  std::string compiler;  ///< "GNU 12.2.0"
  std::string flags;
  std::string cuda;  ///< nvcc version; empty: built without CUDA
  std::string glslang;
};

struct HostFacts {
  std::string os;
  std::string kernel;
  std::string cpu;
  std::uint64_t memory_bytes = 0;
};

struct PlanFacts {
  std::string preset;
  std::uint64_t seed = 0;
  std::uint32_t rounds = 0;
  std::uint32_t samples_per_block = 0;  ///< smallest K; a row's rounds show its own
  std::string fill = "random";
  std::string arguments;
};

/// Samples of one row in one round; arrays have one entry per kept sample.
struct RoundRecord {
  std::vector<double> t_ns;
  std::vector<double> leadin_ns;
  std::vector<double> host_ns;
  std::uint32_t place = 0;  ///< position of this device in the round, from 0
  std::string rejected;     ///< reason; empty: kept
};

struct Summary {
  double median_ns = 0.0;
  std::optional<Interval> ci95_ns;
  double min_ns = 0.0, q1_ns = 0.0, q3_ns = 0.0, max_ns = 0.0;
  std::uint32_t rounds = 0;        ///< kept rounds
  std::optional<double> floor_ns;  ///< the empty bracket; absent until it is measured
  std::optional<double> step_ns;   ///< smallest observed step of the clock; absent likewise
};

struct Rates {
  std::optional<double> bytes_per_s;
  std::optional<double> flop_per_s;
  std::optional<double> flop_per_byte;
  std::optional<double> fraction_of_ceiling;
  std::optional<double> fraction_of_peak;
};

/// One case on one device. Key: case + api + gpu + l2 + mode.
struct Row {
  CaseName name;
  Tier tier = Tier::matched;
  std::string api;
  std::string device;  ///< device id
  std::string gpu;     ///< Gpu::id
  std::string l2 = "warm";
  std::string mode = "batch";  ///< "single": N = 1
  std::uint32_t n = 1;
  Outcome outcome;
  std::vector<std::string> flags;  ///< doubts about an ok row, and kVerifyOnly
  std::optional<VerifyReply> before;
  std::optional<VerifyReply> after;
  std::optional<BitComparison> bits;
  Cost work;
  std::string timer;                ///< clock behind t_ns
  std::vector<RoundRecord> rounds;  ///< not written unless ok
  std::optional<Summary> summary;  ///< present exactly when ok and timed; computed from all samples
  Rates rates;
  Extent3 group_size;
  Extent3 groups;
  KernelFacts kernel;
};

struct RatioRecord {
  std::string case_name;
  std::string base;    ///< device id
  std::string device;  ///< device id
  Ratio ratio;         ///< time of device over time of base
};

struct ResultFile {
  std::string created;  ///< UTC, ISO 8601
  bool complete = false;
  ToolFacts tool;
  HostFacts host;
  Inventory inventory;                       ///< GPUs and devices that the plan uses
  std::map<std::string, ClockFacts> clocks;  ///< by device id; filled as devices are opened
  PlanFacts plan;
  std::vector<Row> rows;
  std::vector<RatioRecord> ratios;
};

/// Writes the canonical JSON text: UTF-8 (invalid bytes of driver strings replaced by U+FFFD),
/// independent of the locale, finite numbers only, samples to a tenth of a nanosecond and at most
/// about 200 a row, thinned evenly within rounds, one line per row so that files diff well. What is
/// not known is null; numbers of a row that is not ok are left out.
/// Errors: throws std::logic_error for a bug of the caller: a non-finite number, arrays of a round
///         that differ in length, an ok row that has neither summary nor the flag kVerifyOnly.
std::string to_json_text(const ResultFile& file);

/// Writes the listing that `parallax devices --json` prints: gpus and devices as in a result file,
/// the APIs without a device with their reasons, and notes.
std::string inventory_json_text(const Inventory& inventory);

/// Says in one line each what is wrong with a text as a result file; empty when it is valid: strict
/// JSON without repeated keys, the embedded JSON Schema of its major version, and what a schema
/// cannot say (unique row keys, gpu and device references that resolve, ok rows with numbers and
/// others without).
std::vector<std::string> check_result_text(std::string_view text);

/// Writes the file through a temporary file in the same folder and a rename, so that the last good
/// file survives a full disk and a crash. What is no regular file (a pipe, /dev/null) is written
/// in place.
/// Errors: throws std::runtime_error naming the path and the cause.
void write_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace parallax
