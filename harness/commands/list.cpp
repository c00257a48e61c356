#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/commands/commands.hpp"
#include "harness/console.hpp"
#include "harness/one_line.hpp"
#include "harness/plan.hpp"

namespace parallax {
namespace {

/// Where a planned case can run, as far as is known without opening the device.
Outcome known_outcome(const Backends& backends, const PlannedCase& planned,
                      const PlannedDevice& device) {
  if (!device.outcome.ok()) return device.outcome;
  const std::string& api = backends.inventory().device(device.device).info.api;
  for (const Step& step : planned.workload->steps(planned.problem(), planned.name.variant)) {
    if (auto reason = backends.backend(api).lacks_kernel(step.kernel)) {
      return {Status::unsupported, *reason};
    }
  }
  return {};
}

void print_text(const Backends& backends, const std::vector<PlannedCase>& plan) {
  for (const PlannedCase& planned : plan) {
    fmt::print("{}  {}\n", format_case_name(planned.name), to_string(planned.tier));
    for (const PlannedDevice& device : planned.devices) {
      const Outcome outcome = known_outcome(backends, planned, device);
      fmt::print("  {:<10} {}\n", device.device,
                 outcome.ok() ? "supported" : "unsupported: " + outcome.reason);
    }
  }
  fmt::print("{} cases\n", plan.size());
}

void print_json(const Backends& backends, const std::vector<PlannedCase>& plan) {
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (const PlannedCase& planned : plan) {
    nlohmann::ordered_json devices = nlohmann::ordered_json::array();
    for (const PlannedDevice& device : planned.devices) {
      const Outcome outcome = known_outcome(backends, planned, device);
      nlohmann::ordered_json entry = {{"device", device.device}, {"supported", outcome.ok()}};
      entry["reason"] = nullptr;
      if (!outcome.ok()) entry["reason"] = outcome.reason;
      devices.push_back(entry);
    }
    cases.push_back({{"case", format_case_name(planned.name)},
                     {"tier", to_string(planned.tier)},
                     {"gpu", planned.gpu},
                     {"devices", devices}});
  }
  const nlohmann::ordered_json document = {{"cases", cases}};
  fmt::print("{}\n",
             document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

int list_command(const Backends& backends, const Filters& filters, Preset preset, bool json) {
  std::vector<std::string> notes;
  const std::vector<std::string> devices = choose_devices(backends, filters, notes);
  const std::vector<PlannedCase> plan =
      make_plan(all_workloads(), backends.inventory(), devices, filters, preset);
  for (const std::string& note : notes) say(one_line(note) + "\n");
  if (json) {
    print_json(backends, plan);
  } else {
    print_text(backends, plan);
  }
  return kExitDone;
}

}  // namespace parallax
