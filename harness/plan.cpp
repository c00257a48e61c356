#include "harness/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "harness/case.hpp"

namespace parallax {
namespace {

bool wanted(const std::vector<std::string>& filter, std::string_view value) {
  return filter.empty() || std::ranges::find(filter, value) != filter.end();
}

void check_filters(const std::vector<const Workload*>& workloads, const Filters& filters) {
  std::set<std::string> names;
  std::set<std::string> dtypes;
  std::set<std::string> variants;
  for (const Workload* workload : workloads) {
    names.emplace(workload->name());
    for (Dtype dtype : workload->dtypes()) dtypes.emplace(to_string(dtype));
    for (const Variant& variant : workload->variants()) variants.insert(variant.name);
  }
  check_names("workload", filters.workloads, names);
  check_names("dtype", filters.dtypes, dtypes);
  check_names("variant", filters.variants, variants);
  check_names("tier", filters.tiers, {"matched", "tuned", "vendor"});
}

/// Sizes given by --size, parsed once.
std::vector<Size> parse_sizes(const Filters& filters) {
  std::vector<Size> sizes;
  for (const std::string& text : filters.sizes) {
    auto parsed = parse_size(text);
    if (const auto* error = std::get_if<ParseError>(&parsed)) {
      throw CommandError(kExitUsage, fmt::format("--size {}: {}", text, error->message));
    }
    sizes.push_back(std::get<Size>(parsed));
  }
  return sizes;
}

/// "n=.. for vector_add", or the nearest named size of a workload that has some.
std::string valid_sizes(const Workload& workload, const Size& given) {
  std::string form =
      fmt::format("{}=.. for {}", fmt::join(workload.dims(), "=..,"), workload.name());
  const std::vector<std::string> names = workload.named_sizes();
  if (names.empty() || given.empty() || !given.front().name.empty()) return form;
  const std::string near = nearest(given.front().word, names);
  if (!near.empty()) return fmt::format("{} (did you mean {}?)", form, near);
  return fmt::format("{} (by name: {})", form, fmt::join(names, ", "));
}

/// Refuses a size whose dimensions no chosen workload has.
void check_sizes(const std::vector<const Workload*>& workloads, const Filters& filters,
                 const std::vector<Size>& given) {
  for (const Size& size : given) {
    std::vector<std::string> forms;
    bool fits = false;
    for (const Workload* workload : workloads) {
      if (!wanted(filters.workloads, workload->name())) continue;
      fits |= workload->complete(size).has_value();
      forms.push_back(valid_sizes(*workload, size));
    }
    if (fits) continue;
    throw CommandError(kExitUsage, fmt::format("--size {} fits no chosen workload; valid: {}",
                                               format_size(size), fmt::join(forms, ", ")));
  }
}

/// The sizes to run of one workload: those given that fit its dimensions, else the preset's.
std::vector<Size> sizes_of(const Workload& workload, const std::vector<Size>& given,
                           Preset preset) {
  if (given.empty()) return workload.sizes(preset);
  std::vector<Size> sizes;
  for (const Size& size : given) {
    const std::optional<Size> complete = workload.complete(size);
    if (!complete) continue;
    if (auto error = workload.size_error(*complete)) {
      throw CommandError(
          kExitUsage, fmt::format("--size {}: {} {}", format_size(size), workload.name(), *error));
    }
    if (std::ranges::find(sizes, *complete) == sizes.end()) sizes.push_back(*complete);
  }
  return sizes;
}

/// Devices grouped by physical GPU, in the order given.
std::vector<std::pair<std::string, std::vector<std::string>>> by_gpu(
    const Inventory& inventory, const std::vector<std::string>& devices) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const std::string& id : devices) {
    const std::string& gpu = inventory.device(id).gpu;
    auto found = std::ranges::find(groups, gpu, &decltype(groups)::value_type::first);
    if (found == groups.end()) found = groups.insert(groups.end(), {gpu, {}});
    found->second.push_back(id);
  }
  return groups;
}

std::string exceeds(std::string_view what, std::uint64_t needs, std::string_view limit_name,
                    std::uint64_t limit) {
  return fmt::format("{} needs {} bytes, over the device's {} of {} bytes", what, needs, limit_name,
                     limit);
}

/// The rounds of a case interleave its devices, so all of them hold its buffers at the same time. On
/// a CPU the copies for checking come on top.
void skip_what_does_not_fit_together(PlannedCase& planned, const Gpu& gpu) {
  std::uint64_t case_bytes = 0;
  std::uint64_t largest_bytes = 0;
  for (const BufferSpec& spec : planned.workload->buffers(planned.problem())) {
    case_bytes += allocated_bytes(spec);
    largest_bytes = std::max(largest_bytes, allocated_bytes(spec));
  }
  const auto able = static_cast<std::uint64_t>(std::ranges::count_if(
      planned.devices, [](const PlannedDevice& device) { return device.outcome.ok(); }));
  const std::uint64_t held_bytes =
      able * case_bytes + (gpu.is_cpu() ? (able + 1) * largest_bytes : 0);
  // A tenth is left to drivers and to whatever else the machine does.
  if (able < 2 || gpu.memory_bytes == 0 || held_bytes <= gpu.memory_bytes / 10 * 9) return;
  for (PlannedDevice& device : planned.devices) {
    if (!device.outcome.ok()) continue;
    device.outcome = {
        Status::skipped,
        fmt::format("{} APIs together need {} bytes, over nine tenths of the memory of "
                    "{} bytes; run it through one API at a time",
                    able, held_bytes, gpu.memory_bytes)};
  }
}

}  // namespace

void check_names(std::string_view option, const std::vector<std::string>& values,
                 const std::set<std::string>& known) {
  const std::vector<std::string> names(known.begin(), known.end());
  for (const std::string& value : values) {
    if (known.contains(value)) continue;
    const std::string near = nearest(value, names);
    throw CommandError(kExitUsage,
                       fmt::format("unknown {} {}{}; valid: {}", option, value,
                                   near.empty() ? "" : fmt::format(", did you mean {}?", near),
                                   fmt::join(names, ", ")));
  }
}

std::regex compile_filter(const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error& error) {
    throw CommandError(
        kExitUsage, fmt::format("--filter {} is not a regular expression: {}", text, error.what()));
  }
}

std::optional<std::string> over_limits(const DeviceInfo& info, const Workload& workload,
                                       const Problem& problem, std::string_view variant) {
  const Limits& limits = info.limits;
  std::uint64_t total_bytes = 0;
  for (const BufferSpec& spec : workload.buffers(problem)) {
    const std::uint64_t bytes = allocated_bytes(spec);
    const std::string what = fmt::format("buffer {}", spec.name);
    if (limits.max_buffer_bytes != 0 && bytes > limits.max_buffer_bytes) {
      return exceeds(what, bytes, "largest buffer", limits.max_buffer_bytes);
    }
    if (limits.max_binding_bytes != 0 && bytes > limits.max_binding_bytes) {
      return exceeds(what, bytes, "largest storage-buffer range", limits.max_binding_bytes);
    }
    total_bytes += bytes;
  }
  if (limits.memory_bytes != 0 && total_bytes > limits.memory_bytes) {
    return exceeds("the case", total_bytes, "memory", limits.memory_bytes);
  }
  for (const Step& step : workload.steps(problem, variant)) {
    const std::uint64_t groups[] = {step.groups.x, step.groups.y, step.groups.z};
    for (std::size_t d = 0; d < 3; ++d) {
      if (limits.max_group_count[d] == 0 || groups[d] <= limits.max_group_count[d]) continue;
      return fmt::format("{} launches {} groups in dimension {}, the device allows {}", step.kernel,
                         groups[d], d, limits.max_group_count[d]);
    }
  }
  return std::nullopt;
}

std::vector<PlannedCase> make_plan(const std::vector<const Workload*>& workloads,
                                   const Inventory& inventory,
                                   const std::vector<std::string>& devices, const Filters& filters,
                                   Preset preset) {
  check_filters(workloads, filters);
  const std::regex regex = compile_filter(filters.regex);
  const std::vector<Size> given = parse_sizes(filters);
  check_sizes(workloads, filters, given);
  const auto groups = by_gpu(inventory, devices);
  std::vector<PlannedCase> plan;

  const auto add = [&](const Workload& workload, const Variant& variant, const CaseName& name) {
    if (!filters.regex.empty() && !std::regex_search(format_case_name(name), regex)) return;
    for (const auto& [gpu, ids] : groups) {
      PlannedCase planned{
          .name = name, .workload = &workload, .tier = variant.tier, .gpu = gpu, .devices = {}};
      for (const std::string& id : ids) {
        Outcome outcome;
        const DeviceInfo& info = inventory.device(id).info;
        if (auto reason = over_limits(info, workload, planned.problem(), variant.name)) {
          outcome = {Status::unsupported, *reason};
        }
        planned.devices.push_back({id, outcome});
      }
      skip_what_does_not_fit_together(planned, inventory.gpu(gpu));
      plan.push_back(std::move(planned));
    }
  };

  for (const Workload* workload : workloads) {
    if (!wanted(filters.workloads, workload->name())) continue;
    for (Dtype dtype : workload->dtypes()) {
      if (!wanted(filters.dtypes, to_string(dtype))) continue;
      for (const Size& size : sizes_of(*workload, given, preset)) {
        for (const Variant& variant : workload->variants()) {
          if (!wanted(filters.variants, variant.name)) continue;
          if (!wanted(filters.tiers, to_string(variant.tier))) continue;
          add(*workload, variant, {std::string(workload->name()), dtype, size, variant.name});
        }
      }
    }
  }
  if (!plan.empty()) return plan;
  throw CommandError(kExitUsage, "no case matches the filters; `parallax list` shows all cases");
}

}  // namespace parallax
