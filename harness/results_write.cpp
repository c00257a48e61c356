#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/results.hpp"

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

/// Kept samples of one row in the file: enough for a distribution, small enough for a repository.
constexpr std::size_t kSamplesPerRow = 200;

Json number(double value, std::string_view name) {
  if (!std::isfinite(value)) {
    throw std::logic_error(
        fmt::format("{} is {}; a result file holds finite numbers", name, value));
  }
  return value;
}

Json number(const std::optional<double>& value, std::string_view name) {
  return value ? number(*value, name) : Json(nullptr);
}

Json interval(const std::optional<Interval>& value, std::string_view name) {
  if (!value) return nullptr;
  return Json::array({number(value->lo, name), number(value->hi, name)});
}

/// A number where 0 stands for "not known".
Json known(std::uint64_t value) { return value == 0 ? Json(nullptr) : Json(value); }
Json known(double value, std::string_view name) {
  return value == 0.0 ? Json(nullptr) : number(value, name);
}

/// A text, cut where no reader needs more; what a compiler says of a kernel can be megabytes.
Json text(std::string_view value) {
  if (value.size() <= kMaxTextBytes) return std::string(value);
  constexpr std::string_view kCut = "...";
  std::size_t end = kMaxTextBytes - kCut.size();
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xc0) == 0x80) --end;
  return std::string(value.substr(0, end)).append(kCut);
}

Json known(const std::string& value) { return value.empty() ? Json(nullptr) : text(value); }

template <typename T>
Json known(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json texts(const std::vector<std::string>& values) {
  Json array = Json::array();
  for (const std::string& value : values) array.push_back(text(value));
  return array;
}

template <std::size_t N>
Json dimensions(const std::array<std::uint64_t, N>& values) {
  const bool published = std::any_of(values.begin(), values.end(), [](auto v) { return v != 0; });
  return published ? Json(values) : Json(nullptr);
}

Json dimensions(const Extent3& extent) { return Json::array({extent.x, extent.y, extent.z}); }

Json tool_json(const ToolFacts& tool) {
  return {{"name", text(tool.name)},
          {"version", text(tool.version)},
          {"commit", known(tool.commit)},
          {"build",
           {{"compiler", text(tool.compiler)},
            {"flags", text(tool.flags)},
            {"cuda", known(tool.cuda)},
            {"glslang", known(tool.glslang)}}}};
}

Json host_json(const HostFacts& host) {
  return {{"os", known(host.os)},
          {"kernel", known(host.kernel)},
          {"cpu", known(host.cpu)},
          {"memory_bytes", known(host.memory_bytes)}};
}

Json gpu_json(const Gpu& gpu) {
  return {{"id", text(gpu.id)},
          {"name", text(gpu.name)},
          {"uuid", known(gpu.uuid)},
          {"pci", known(gpu.pci)},
          {"type", gpu.is_cpu() ? "cpu" : "gpu"},
          {"kind", to_string(gpu.type)},
          {"driver", known(gpu.driver)},
          {"memory_bytes", known(gpu.memory_bytes)},
          {"l2_bytes", known(gpu.l2_bytes)},
          {"ecc", nullptr},
          {"power_limit_w", nullptr}};
}

Json limits_json(const Limits& limits) {
  return {{"memory_bytes", known(limits.memory_bytes)},
          {"max_buffer_bytes", known(limits.max_buffer_bytes)},
          {"max_binding_bytes", known(limits.max_binding_bytes)},
          {"max_group_lanes", known(limits.max_group_lanes)},
          {"max_group_size", dimensions(limits.max_group_size)},
          {"max_group_count", dimensions(limits.max_group_count)},
          {"shared_bytes", known(limits.shared_bytes)}};
}

Json timer_json(const Timer& timer, const ClockFacts* clock) {
  return {{"source", text(clock ? clock->source : timer.source)},
          {"declared_ns", known(timer.declared_ns, "timer.declared_ns")},
          {"step_ns", nullptr},
          {"valid_bits", timer.valid_bits},
          {"period_ns", number(timer.period_ns, "timer.period_ns")},
          {"note", clock ? known(clock->note) : Json(nullptr)}};
}

Json device_json(const ListedDevice& device, const ClockFacts* clock) {
  const DeviceInfo& info = device.info;
  return {{"id", text(info.id)},
          {"api", text(info.api)},
          {"api_version", known(info.api_version)},
          {"name", text(info.name)},
          {"platform", known(info.platform)},
          {"type", to_string(info.type)},
          {"gpu", text(device.gpu)},
          {"matched_by", text(device.matched_by)},
          {"alias_of", known(device.alias_of)},
          {"driver", known(info.driver)},
          {"limits", limits_json(info.limits)},
          {"features", texts(info.features)},
          {"matrix_shapes", Json::array()},
          {"timer", timer_json(info.timer, clock)}};
}

Json plan_json(const PlanFacts& plan) {
  return {{"preset", text(plan.preset)}, {"seed", plan.seed},
          {"rounds", plan.rounds},       {"samples_per_block", plan.samples_per_block},
          {"fill", text(plan.fill)},     {"arguments", text(plan.arguments)}};
}

Json verdict_word(const std::optional<VerifyReply>& reply) {
  if (!reply || (reply->outcome.status != Status::ok && reply->outcome.status != Status::invalid)) {
    return nullptr;
  }
  return reply->outcome.status == Status::ok ? "pass" : "fail";
}

Json bits_json(const std::optional<BitComparison>& bits) {
  if (!bits) return nullptr;
  return {{"base", text(bits->base)}, {"equal", bits->equal}, {"cause", known(bits->cause)}};
}

Json verify_json(const Row& row) {
  if (!row.before && !row.after) return nullptr;
  Json json = {{"before", verdict_word(row.before)}, {"after", verdict_word(row.after)}};
  const auto& told = json["after"].is_null() ? row.before : row.after;
  const bool checked = told && !verdict_word(told).is_null();
  const Verdict verdict = checked ? told->verdict : Verdict{};
  // An output of NaN has no distance to its reference; the row's reason says so.
  const bool finite = row.outcome.status == Status::ok ||
                      (std::isfinite(verdict.worst) && std::isfinite(verdict.rms));
  json["checked"] = checked ? Json(verdict.checked) : Json(nullptr);
  json["metric"] = known(verdict.metric);
  json["worst"] = checked && finite ? number(verdict.worst, "verify.worst") : Json(nullptr);
  json["limit"] = checked ? number(verdict.limit, "verify.limit") : Json(nullptr);
  json["rms"] = checked && finite ? number(verdict.rms, "verify.rms") : Json(nullptr);
  json["rms_limit"] = checked ? number(verdict.rms_limit, "verify.rms_limit") : Json(nullptr);
  json["at"] = checked && verdict.worst != 0.0 ? Json(verdict.at) : Json(nullptr);
  json["bits"] = bits_json(row.bits);
  json["digest"] = checked ? Json(fmt::format("{:016x}", told->output_digest)) : Json(nullptr);
  return json;
}

/// Samples of one array, to a tenth of a nanosecond. Times below one nanosecond stay as they are,
/// since rounding them could give zero.
Json samples(const std::vector<double>& values, std::size_t kept, std::string_view name) {
  Json array = Json::array();
  for (std::size_t i = 0; i < kept; ++i) {
    const double value = values[i * values.size() / kept];
    array.push_back(number(value < 1.0 ? value : std::round(value * 10.0) / 10.0, name));
  }
  return array;
}

Json rounds_json(const std::vector<RoundRecord>& rounds) {
  Json array = Json::array();
  std::size_t total = 0;
  for (const RoundRecord& round : rounds) total += round.t_ns.size();
  const std::size_t most =
      total <= kSamplesPerRow ? total : std::max<std::size_t>(1, kSamplesPerRow / rounds.size());
  for (const RoundRecord& round : rounds) {
    const std::size_t taken = round.t_ns.size();
    if (round.leadin_ns.size() != taken || round.host_ns.size() != taken) {
      throw std::logic_error("arrays of a round differ in length");
    }
    const std::size_t kept = std::min(taken, most);
    array.push_back({{"t_ns", samples(round.t_ns, kept, "t_ns")},
                     {"leadin_ns", samples(round.leadin_ns, kept, "leadin_ns")},
                     {"host_ns", samples(round.host_ns, kept, "host_ns")},
                     {"place", round.place},
                     {"rejected", known(round.rejected)}});
  }
  return array;
}

Json summary_json(const Summary& summary) {
  return {{"median_ns", number(summary.median_ns, "median_ns")},
          {"ci95_ns", interval(summary.ci95_ns, "ci95_ns")},
          {"min_ns", number(summary.min_ns, "min_ns")},
          {"q1_ns", number(summary.q1_ns, "q1_ns")},
          {"q3_ns", number(summary.q3_ns, "q3_ns")},
          {"max_ns", number(summary.max_ns, "max_ns")},
          {"rounds", summary.rounds},
          {"floor_ns", number(summary.floor_ns, "floor_ns")},
          {"step_ns", number(summary.step_ns, "step_ns")}};
}

Json rates_json(const Rates& rates) {
  return {{"bytes_per_s", number(rates.bytes_per_s, "bytes_per_s")},
          {"flop_per_s", number(rates.flop_per_s, "flop_per_s")},
          {"flop_per_byte", number(rates.flop_per_byte, "flop_per_byte")},
          {"fraction_of_ceiling", number(rates.fraction_of_ceiling, "fraction_of_ceiling")},
          {"fraction_of_peak", number(rates.fraction_of_peak, "fraction_of_peak")}};
}

Json kernel_json(const Row& row) {
  const KernelFacts& facts = row.kernel;
  if (row.outcome.status != Status::ok && facts.source_hash.empty()) return nullptr;
  return {{"group_size", dimensions(row.group_size)},
          {"groups", dimensions(row.groups)},
          {"registers", known(facts.registers)},
          {"spill_bytes", known(facts.spill_bytes)},
          {"shared_bytes", known(facts.shared_bytes)},
          {"memory", "device_local"},
          {"fused_fma", known(facts.fused_fma)},
          {"flags", texts(facts.flags)},
          {"library", nullptr},
          {"source_hash", known(facts.source_hash)},
          {"build_ns", number(facts.build_ns, "build_ns")}};
}

Json work_json(const Cost& work) {
  return {{"flops", work.flops},
          {"bytes_read", work.bytes_read},
          {"bytes_written", work.bytes_written},
          {"source", text(work.source)}};
}

Json size_json(const Size& size) {
  Json json = Json::object();
  for (const Dim& dim : size) {
    const std::string& name = dim.name.empty() ? "name" : dim.name;
    json[name] = dim.word.empty() ? Json(dim.value) : text(dim.word);
  }
  return json;
}

Json reason_json(const Outcome& outcome) {
  if (outcome.status == Status::ok) return nullptr;
  return text(outcome.reason.empty() ? "no reason was given" : outcome.reason);
}

Json row_json(const Row& row) {
  const bool ok = row.outcome.status == Status::ok;
  const bool timed = ok && row.summary;
  const bool verify_only =
      std::find(row.flags.begin(), row.flags.end(), kVerifyOnly) != row.flags.end();
  if (ok && !timed && !verify_only) {
    throw std::logic_error(
        fmt::format("{} on {} is ok but has no summary", format_case_name(row.name), row.device));
  }
  return {{"case", format_case_name(row.name)},
          {"workload", text(row.name.workload)},
          {"dtype", to_string(row.name.dtype)},
          {"size", size_json(row.name.size)},
          {"variant", text(row.name.variant)},
          {"tier", to_string(row.tier)},
          {"api", text(row.api)},
          {"device", text(row.device)},
          {"l2", text(row.l2)},
          {"mode", text(row.mode)},
          {"timer", timed ? known(row.timer) : Json(nullptr)},
          {"n", timed ? Json(row.n) : Json(nullptr)},
          {"status", to_string(row.outcome.status)},
          {"reason", reason_json(row.outcome)},
          {"flags", texts(row.flags)},
          {"verify", verify_json(row)},
          {"work", work_json(row.work)},
          // A row that ended badly may have been sampled first: those numbers stay out of the file.
          {"rounds", timed ? rounds_json(row.rounds) : Json::array()},
          {"summary", timed ? summary_json(*row.summary) : Json(nullptr)},
          {"rates", timed ? rates_json(row.rates) : Json(nullptr)},
          {"kernel", kernel_json(row)},
          {"conditions", nullptr},
          {"energy", nullptr}};
}

Json ratio_json(const RatioRecord& record) {
  return {{"case", text(record.case_name)},
          {"base", text(record.base)},
          {"device", text(record.device)},
          {"ratio", number(record.ratio.ratio, "ratio")},
          {"ci95", interval(record.ratio.ci95, "ci95")},
          {"rounds", record.ratio.rounds}};
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append(std::string& out, std::string_view name, const Json& value) {
  out += fmt::format("{}\"{}\": {}", out.size() > 2 ? ",\n" : "", name, dump(value));
}

/// Appends an array with one element per line.
template <typename T, typename F>
void append_lines(std::string& out, std::string_view name, const std::vector<T>& items,
                  const F& to_json) {
  out += fmt::format(",\n\"{}\": [", name);
  for (std::size_t i = 0; i < items.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    out += dump(to_json(items[i]));
  }
  out += items.empty() ? "]" : "\n]";
}

}  // namespace

std::string to_json_text(const ResultFile& file) {
  std::string out = "{\n";
  append(out, "schema", "parallax-result");
  append(out, "schema_version", kSchemaVersion);
  append(out, "created", text(file.created));
  append(out, "complete", file.complete);
  append(out, "tool", tool_json(file.tool));
  append(out, "host", host_json(file.host));
  append_lines(out, "gpus", file.inventory.gpus, gpu_json);
  append_lines(out, "devices", file.inventory.devices, [&](const ListedDevice& device) {
    const auto clock = file.clocks.find(device.info.id);
    return device_json(device, clock == file.clocks.end() ? nullptr : &clock->second);
  });
  append(out, "plan", plan_json(file.plan));
  append(out, "ceilings", Json::array());
  append_lines(out, "results", file.rows, row_json);
  append_lines(out, "ratios", file.ratios, ratio_json);
  out += "\n}\n";
  return out;
}

std::string inventory_json_text(const Inventory& inventory) {
  std::string out = "{\n";
  append(out, "schema", "parallax-devices");
  append(out, "schema_version", kSchemaVersion);
  append_lines(out, "gpus", inventory.gpus, gpu_json);
  append_lines(out, "devices", inventory.devices,
               [](const ListedDevice& device) { return device_json(device, nullptr); });
  append_lines(out, "absent", inventory.absent, [](const AbsentApi& absent) {
    return Json{{"api", text(absent.api)}, {"reason", text(absent.reason)}};
  });
  append(out, "notes", texts(inventory.notes));
  out += "\n}\n";
  return out;
}

}  // namespace parallax
