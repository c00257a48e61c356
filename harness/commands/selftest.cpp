#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <regex>

#include "harness/commands/commands.hpp"
#include "harness/one_line.hpp"
#include "harness/plan.hpp"
#include "harness/progress.hpp"
#include "harness/schedule.hpp"

namespace parallax {
namespace {

constexpr std::string_view kHost = "host";

/// What became of one fault on one device.
enum class Finding {
  caught,          ///< the check of the output said so, before or after timing
  missed,          ///< the wrong result passed for right
  failed,          ///< something else went wrong, so that the check proved nothing
  control_failed,  ///< the case is not ok without the fault either
  unsupported      ///< the device lacks the kernel or a feature
};
constexpr std::array kFindings = {"caught", "MISSED", "failed", "no control", "unsupported"};

std::string_view word(Finding finding) { return kFindings.at(static_cast<std::size_t>(finding)); }

struct Check {
  Finding finding = Finding::missed;
  std::string reason;  ///< one line; empty for caught
};

/// Only a check of the output counts: a row can be invalid for its time as well.
Check judge(const Row& row) {
  const auto wrong = [](const std::optional<VerifyReply>& reply) {
    return reply && reply->outcome.status == Status::invalid;
  };
  switch (row.outcome.status) {
    case Status::ok:
      return {Finding::missed, "the wrong result passed the check"};
    case Status::unsupported:
      return {Finding::unsupported, row.outcome.reason};
    case Status::invalid:
      if (wrong(row.before) || wrong(row.after)) return {Finding::caught, ""};
      break;
    case Status::skipped:
    case Status::error:
      break;
  }
  return {Finding::failed, row.outcome.reason};
}

/// Every check of a run costs a few milliseconds: one round of one sample, but of several runs
/// without new outputs in between, so that what is right only once is told from what is right.
constexpr SamplingRule kRule{.rounds = 1,
                             .min_samples = 1,
                             .max_samples = 1,
                             .block_ns = 1,
                             .min_bracket_ns = 1e12,
                             .bracket_steps = 1,
                             .max_repeats = 3,
                             .lead_in_ns = 50e3,
                             .case_budget_ns = 10e9};

/// Runs faults as `run` runs cases, by the same code on the other side of the worker seam too.
class SelfTest {
 public:
  SelfTest(const Backends& backends, const std::vector<Fault>& faults)
      : inventory_(backends.inventory()), workers_([this, &backends](const std::string& id) {
          return make_local_worker(backends.backend(inventory_.device(id).info.api), id, served());
        }) {
    for (const Workload* workload : all_workloads()) workloads_.emplace_back(*workload, faults);
  }

  Check check(const Fault& fault, const std::string& device) {
    const Row& control = control_row(fault, device);
    if (control.outcome.status == Status::unsupported) return judge(control);
    if (!control.outcome.ok()) return {Finding::control_failed, control.outcome.reason};
    return judge(run(fault, fault.name, device));
  }

  /// Name of the case that runs the fault, or the untouched variant.
  [[nodiscard]] CaseName case_name(const Fault& fault, const std::string& variant) const {
    const auto size = parse_size(fault.size);
    return {.workload = fault.workload,
            .dtype = fault.dtype,
            .size = workload_of(fault).complete(std::get<Size>(size)).value(),
            .variant = variant};
  }

 private:
  [[nodiscard]] std::vector<const Workload*> served() const {
    std::vector<const Workload*> served;
    for (const FaultyWorkload& workload : workloads_) served.push_back(&workload);
    return served;
  }

  [[nodiscard]] const Workload& workload_of(const Fault& fault) const {
    return *std::ranges::find(workloads_, fault.workload, &FaultyWorkload::name);
  }

  /// The case without the fault, which must be ok; run once for all faults of it.
  const Row& control_row(const Fault& fault, const std::string& device) {
    const std::string key = device + " " + format_case_name(case_name(fault, fault.variant));
    auto found = controls_.find(key);
    if (found == controls_.end()) {
      found = controls_.emplace(key, run(fault, fault.variant, device)).first;
    }
    return found->second;
  }

  Row run(const Fault& fault, const std::string& variant, const std::string& device) {
    const PlannedCase planned{.name = case_name(fault, variant),
                              .workload = &workload_of(fault),
                              .gpu = inventory_.device(device).gpu,
                              .devices = {{device, {}}}};
    return run_case(planned, workers_, inventory_, kRule, 1, false).rows.front();
  }

  const Inventory& inventory_;
  std::vector<FaultyWorkload> workloads_;
  Workers workers_;
  std::map<std::string, Row> controls_;
};

/// Faults that the filters leave. Errors: throws CommandError(kExitUsage) where that is none.
std::vector<const Fault*> choose_faults(const std::vector<Fault>& faults, const Filters& filters,
                                        const SelfTest& test) {
  std::set<std::string> workloads;
  for (const Workload* workload : all_workloads()) workloads.emplace(workload->name());
  check_names("workload", filters.workloads, workloads);
  const std::regex regex = compile_filter(filters.regex);
  std::vector<const Fault*> chosen;
  for (const Fault& fault : faults) {
    const bool wanted =
        filters.workloads.empty() ||
        std::ranges::find(filters.workloads, fault.workload) != filters.workloads.end();
    const std::string name = format_case_name(test.case_name(fault, fault.name));
    if (wanted && std::regex_search(name, regex)) chosen.push_back(&fault);
  }
  if (chosen.empty()) throw CommandError(kExitUsage, "no fault matches the filters");
  return chosen;
}

/// The devices that `run` would choose, and the host, which is the reference.
std::vector<std::string> devices_and_host(const Backends& backends, const Filters& filters,
                                          std::vector<std::string>& notes) {
  std::vector<std::string> chosen = choose_devices(backends, filters, notes);
  for (const ListedDevice& device : backends.inventory().devices) {
    const bool missing = std::ranges::find(chosen, device.info.id) == chosen.end();
    if (device.info.api == kHost && missing) chosen.push_back(device.info.id);
  }
  return chosen;
}

/// All checks of a run: one line per fault, one column per device.
class Report {
 public:
  Report(const Inventory& inventory, std::vector<std::string> devices)
      : devices_(std::move(devices)) {
    for (const std::string& id : devices_) {
      is_host_.push_back(inventory.device(id).info.api == kHost);
    }
  }

  void add(const Fault& fault, std::vector<Check> checks) {
    lines_.push_back({&fault, std::move(checks)});
  }

  [[nodiscard]] std::string text() const { return table() + reasons() + summary(); }

  /// Whether every fault was caught wherever it ran, each of them on the host and, where there is
  /// another API, through another one.
  [[nodiscard]] bool passed() const {
    return std::ranges::all_of(lines_, [this](const Line& line) {
      const bool caught = std::ranges::all_of(line.checks, [](const Check& check) {
        return check.finding == Finding::caught || check.finding == Finding::unsupported;
      });
      return caught && proven(line);
    });
  }

 private:
  struct Line {
    const Fault* fault;
    std::vector<Check> checks;  ///< of devices_, in order
  };

  [[nodiscard]] std::size_t count(std::size_t device, Finding finding) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        lines_, [&](const Line& line) { return line.checks[device].finding == finding; }));
  }

  /// False for a fault that one side could not run, such as for want of f64.
  [[nodiscard]] bool proven(const Line& line) const {
    for (bool host : {true, false}) {
      bool any = false;
      bool caught = false;
      for (std::size_t d = 0; d < devices_.size(); ++d) {
        if (is_host_[d] != host) continue;
        any = true;
        caught |= line.checks[d].finding == Finding::caught;
      }
      if (any && !caught) return false;
    }
    return true;
  }

  static std::string name_of(const Fault& fault) {
    return fmt::format("{}/{}/{}", fault.workload, to_string(fault.dtype), fault.variant);
  }

  [[nodiscard]] std::string table() const {
    std::string text = fmt::format("{:<33}{:<20}", "case", "fault");
    for (const std::string& id : devices_) text += fmt::format("{:<13}", id);
    text += "what goes wrong\n";
    for (const Line& line : lines_) {
      text += fmt::format("{:<33}{:<20}", name_of(*line.fault), line.fault->name);
      for (const Check& check : line.checks) text += fmt::format("{:<13}", word(check.finding));
      text += line.fault->about + "\n";
    }
    return text;
  }

  /// Why something was not caught.
  [[nodiscard]] std::string reasons() const {
    std::string text;
    for (const Line& line : lines_) {
      const std::string name = name_of(*line.fault) + " " + line.fault->name;
      for (std::size_t d = 0; d < devices_.size(); ++d) {
        const Check& check = line.checks[d];
        if (check.finding == Finding::caught) continue;
        text += fmt::format("{}: {}: {}: {}\n", name, devices_[d], word(check.finding),
                            one_line(check.reason));
      }
      if (!proven(line)) text += name + ": must be caught on the host and through another API\n";
    }
    return text;
  }

  [[nodiscard]] std::string summary() const {
    std::size_t caught = 0;
    std::size_t unsupported = 0;
    std::vector<std::string> shares;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      const std::size_t lacking = count(d, Finding::unsupported);
      shares.push_back(fmt::format("{} {} of {}", devices_[d], count(d, Finding::caught),
                                   lines_.size() - lacking));
      caught += count(d, Finding::caught);
      unsupported += lacking;
    }
    const std::size_t checks = lines_.size() * devices_.size() - unsupported;
    // Rounded down, so that 100 % means all.
    const std::size_t permille = checks == 0 ? 0 : 1000 * caught / checks;
    return fmt::format("{} faults, {} of {} checks caught ({}.{} %), {} unsupported: {}\n",
                       lines_.size(), caught, checks, permille / 10, permille % 10, unsupported,
                       fmt::join(shares, ", "));
  }

  std::vector<std::string> devices_;
  std::vector<bool> is_host_;  ///< of devices_
  std::vector<Line> lines_;
};

}  // namespace

int selftest_command(const Backends& backends, const Filters& filters,
                     const std::vector<Fault>& faults) {
  std::vector<std::string> notes;
  const std::vector<std::string> devices = devices_and_host(backends, filters, notes);
  SelfTest test(backends, faults);
  const std::vector<const Fault*> chosen = choose_faults(faults, filters, test);
  Report report(backends.inventory(), devices);
  {
    Progress progress(chosen.size());
    for (const std::string& note : notes) progress.note(note);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      progress.begin(i, format_case_name(test.case_name(*chosen[i], chosen[i]->name)));
      std::vector<Check> checks;
      for (const std::string& device : devices) checks.push_back(test.check(*chosen[i], device));
      report.add(*chosen[i], std::move(checks));
    }
  }
  fmt::print("{}", report.text());
  return report.passed() ? kExitDone : kExitFailedCases;
}

}  // namespace parallax
