#include "harness/workers.hpp"

#include <fmt/format.h>

#include "harness/one_line.hpp"
#include "workloads/inputs.hpp"

namespace parallax {

std::variant<Worker*, Outcome> Workers::get(const std::string& device_id) {
  auto [entry, is_new] = entries_.try_emplace(device_id);
  if (is_new) {
    try {
      entry->second.worker = open_(device_id);
    } catch (const std::exception& error) {
      entry->second.outcome = {
          Status::error, one_line(fmt::format("{} does not open: {}", device_id, error.what()))};
    }
  }
  if (entry->second.worker) return entry->second.worker.get();
  return entry->second.outcome;
}

void Workers::give_up(const std::string& device_id, const std::string& reason) {
  Entry& entry = entries_[device_id];
  entry.worker.reset();
  entry.outcome = {Status::error, fmt::format("{} was given up after: {}", device_id, reason)};
}

const Workers::Expected& Workers::expected(const PlannedCase& planned, std::uint64_t seed) {
  const std::string key =
      fmt::format("{}/{}/{}/{}", planned.name.workload, to_string(planned.name.dtype),
                  format_size(planned.name.size), seed);
  if (key == expected_key_) return expected_;
  expected_ = {};  // before the next one takes as much memory again
  expected_key_.clear();
  const Workload& workload = *planned.workload;
  const Problem problem = planned.problem();
  const std::vector<BufferSpec> specs = workload.buffers(problem);
  const auto compute = [&](Fill fill) {
    return std::make_shared<const Reference>(
        workload.expected(problem, fill, make_inputs(specs, fill, seed)));
  };
  expected_.random = compute(Fill::random);
  if (workload.tolerance(problem).metric != "bitwise") expected_.integers = compute(Fill::integers);
  expected_key_ = key;
  return expected_;
}

std::map<std::string, ClockFacts> Workers::clocks() const {
  std::map<std::string, ClockFacts> clocks;
  for (const auto& [id, entry] : entries_) {
    if (entry.worker) clocks[id] = entry.worker->clock();
  }
  return clocks;
}

}  // namespace parallax
