#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "harness/commands/commands.hpp"
#include "harness/console.hpp"
#include "harness/context.hpp"
#include "harness/plan.hpp"
#include "harness/progress.hpp"
#include "harness/results.hpp"
#include "harness/schedule.hpp"
#include "harness/table.hpp"

namespace parallax {
namespace {

namespace fs = std::filesystem;

/// "NVIDIA H200" becomes "nvidia-h200": safe in a file name.
std::string slug(std::string_view name) {
  std::string out;
  for (unsigned char c : name) {
    if (std::isalnum(c) != 0) {
      out += static_cast<char>(std::tolower(c));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  out.erase(out.find_last_not_of('-') + 1);
  return out.substr(0, 40);
}

/// The path to write: given, or results/<date>-<gpu>.json. Empty: stdout.
/// Errors: throws CommandError when the file exists or its folder cannot be written.
fs::path output_path(const RunOptions& options, const Gpu& gpu) {
  if (options.output == "-") return {};
  fs::path path = options.output;
  if (path.empty()) {
    std::string moment = utc_now();
    std::erase_if(moment, [](char c) { return c == '-' || c == ':'; });
    path = fs::path("results") / fmt::format("{}-{}.json", moment, slug(gpu.name));
    std::error_code ignored;  // a folder that cannot be made is reported as unwritable below
    fs::create_directories(path.parent_path(), ignored);
  }
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw CommandError(kExitUsage, fmt::format("--output {} is a folder", path.string()));
  }
  if (fs::exists(path, error) && !options.force) {
    throw CommandError(kExitUsage, fmt::format("{} exists; --force overwrites it", path.string()));
  }
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (access(folder.c_str(), W_OK) != 0) {
    throw CommandError(kExitUsage, fmt::format("cannot write {}: folder {} {}", path.string(),
                                               folder.string(), std::strerror(errno)));
  }
  return path;
}

void check_required(const Backends& backends, const RunOptions& options,
                    const std::vector<std::string>& chosen) {
  const Inventory& inventory = backends.inventory();
  for (const std::string& api : options.require) {
    const bool present = std::ranges::any_of(
        chosen, [&](const std::string& id) { return inventory.device(id).info.api == api; });
    if (present) continue;
    std::string reason = "it has no device among those chosen";
    for (const AbsentApi& absent : inventory.absent) {
      if (absent.api == api) reason = absent.reason;
    }
    throw CommandError(kExitFailedCases,
                       fmt::format("required API {} is missing: {}", api, reason));
  }
}

/// The part of the inventory that the plan uses; an alias brings the device that it is an alias of.
Inventory used_inventory(const Inventory& all, const std::vector<std::string>& devices) {
  Inventory used;
  for (const ListedDevice& device : all.devices) {
    const bool is_used = std::ranges::any_of(devices, [&](const std::string& id) {
      return id == device.info.id || all.device(id).alias_of == device.info.id;
    });
    if (is_used) used.devices.push_back(device);
  }
  for (const Gpu& gpu : all.gpus) {
    const bool has_device =
        std::ranges::any_of(used.devices, [&](const ListedDevice& d) { return d.gpu == gpu.id; });
    if (has_device) used.gpus.push_back(gpu);
  }
  return used;
}

/// Writes the result file at most once a second, and at the end.
class Output {
 public:
  /// Writes the file once without rows: a path that cannot be written is known before measuring.
  Output(fs::path path, const ResultFile& empty) : path_(std::move(path)) {
    if (!path_.empty()) write(to_json_text(empty));
  }

  void update(const ResultFile& file) {
    const auto now = std::chrono::steady_clock::now();
    if (path_.empty() || now - written_ < std::chrono::seconds(1)) return;
    write(to_json_text(file));
    written_ = now;
  }

  void finish(const ResultFile& file) const {
    const std::string text = to_json_text(file);
    if (path_.empty()) {
      std::fwrite(text.data(), 1, text.size(), stdout);
    } else {
      write(text);
    }
  }

 private:
  void write(const std::string& text) const {
    try {
      write_atomically(path_, text);
    } catch (const std::runtime_error& error) {
      throw CommandError(kExitUsage, error.what());
    }
  }

  fs::path path_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

ResultFile new_file(const RunOptions& options, const SamplingRule& rule, Inventory inventory) {
  ResultFile file;
  file.created = utc_now();
  file.tool = tool_facts();
  file.host = host_facts();
  file.inventory = std::move(inventory);
  file.plan = {.preset = std::string(to_string(options.preset)),
               .seed = options.seed,
               .rounds = options.verify_only ? 0 : rule.rounds,
               .samples_per_block = rule.min_samples,
               .arguments = options.arguments};
  return file;
}

int exit_code(const ResultFile& file) {
  const bool failed = std::ranges::any_of(file.rows, [](const Row& row) {
    return row.outcome.status == Status::invalid || row.outcome.status == Status::error;
  });
  return failed ? kExitFailedCases : kExitDone;
}

}  // namespace

int run_command(const Backends& backends, const RunOptions& options) {
  check_apis(backends, options.require);
  std::vector<std::string> notes;
  std::vector<std::string> devices;
  try {
    devices = choose_devices(backends, options.filters, notes);
  } catch (const CommandError& error) {
    // A missing API that is required is a failure of its own, whatever else is missing.
    if (error.exit_code() == kExitNoDevice) check_required(backends, options, {});
    throw;
  }
  check_required(backends, options, devices);
  const Inventory& inventory = backends.inventory();
  const std::vector<PlannedCase> plan =
      make_plan(all_workloads(), inventory, devices, options.filters, options.preset);

  SamplingRule rule = sampling_rule(options.preset);
  if (options.rounds > 0) rule.rounds = options.rounds;
  ResultFile file = new_file(options, rule, used_inventory(inventory, devices));
  const fs::path path = output_path(options, file.inventory.gpus.front());
  Output output(path, file);
  Workers workers([&](const std::string& id) {
    return make_local_worker(backends.backend(inventory.device(id).info.api), id, all_workloads());
  });

  {
    Progress progress(plan.size());
    for (const std::string& note : notes) progress.note(note);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      progress.begin(i, format_case_name(plan[i].name));
      CaseResult result =
          run_case(plan[i], workers, inventory, rule, options.seed, options.verify_only);
      for (const Row& row : result.rows) {
        if (row.outcome.status == Status::invalid || row.outcome.status == Status::error) {
          progress.note(fmt::format("{} {}: {}: {}", format_case_name(row.name), row.device,
                                    to_string(row.outcome.status), row.outcome.reason));
        }
      }
      std::ranges::move(result.rows, std::back_inserter(file.rows));
      std::ranges::move(result.ratios, std::back_inserter(file.ratios));
      file.clocks = workers.clocks();
      output.update(file);
    }
  }
  file.complete = true;
  output.finish(file);
  if (path.empty()) {
    say(format_table(file, colour_allowed(STDERR_FILENO)));
  } else {
    fmt::print("{}", format_table(file, colour_allowed(STDOUT_FILENO)));
  }
  if (!path.empty()) say(fmt::format("wrote {}\n", path.string()));
  return exit_code(file);
}

}  // namespace parallax
