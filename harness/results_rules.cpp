#include "harness/results_rules.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "harness/case_name.hpp"

namespace parallax {
namespace {

using nlohmann::json;

/// Collects the problems of one file.
class Rules {
 public:
  explicit Rules(const json& file) : file_(file) {}

  std::vector<std::string> check() {
    check_gpus();
    check_devices();
    check_ceilings();
    for (std::size_t i = 0; i < file_["results"].size(); ++i) check_row(i, file_["results"][i]);
    for (std::size_t i = 0; i < file_["ratios"].size(); ++i) check_ratio(i, file_["ratios"][i]);
    return std::move(problems_);
  }

 private:
  void problem(const std::string& place, const std::string& what) {
    problems_.push_back(fmt::format("{}: {}", place, what));
  }

  void check_gpus() {
    for (std::size_t i = 0; i < file_["gpus"].size(); ++i) {
      const json& gpu = file_["gpus"][i];
      const std::string id = gpu["id"];
      const std::string place = fmt::format("/gpus/{}", i);
      if (!gpus_.insert(id).second) problem(place + "/id", fmt::format("{} is there twice", id));
      if ((gpu["type"] == "cpu") != (gpu["kind"] == "cpu")) {
        problem(place + "/kind", "type and kind differ on whether this is a CPU");
      }
    }
  }

  void check_devices() {
    for (std::size_t i = 0; i < file_["devices"].size(); ++i) {
      const json& device = file_["devices"][i];
      const std::string id = device["id"];
      const std::string place = fmt::format("/devices/{}", i);
      check_gpu_reference(place + "/gpu", device["gpu"]);
      if (!id.starts_with(device["api"].get<std::string>() + ":")) {
        problem(place + "/id",
                fmt::format("{} is no device of api {}", id, device["api"].get<std::string>()));
      }
      check_alias(place + "/alias_of", device);
      if (!devices_.emplace(id, &device).second) {
        problem(place + "/id", fmt::format("{} is there twice", id));
      }
    }
  }

  void check_gpu_reference(const std::string& place, const std::string& gpu) {
    if (!gpus_.contains(gpu)) problem(place, fmt::format("{} is not in /gpus", gpu));
  }

  void check_alias(const std::string& place, const json& device) {
    if (device["alias_of"].is_null()) return;
    const auto original = devices_.find(device["alias_of"]);
    if (original == devices_.end()) {
      problem(place, fmt::format("{} is no earlier device", device["alias_of"].get<std::string>()));
    } else if ((*original->second)["api"] != device["api"] ||
               (*original->second)["gpu"] != device["gpu"]) {
      problem(place, fmt::format("{} has another api or gpu", original->first));
    }
  }

  void check_ceilings() {
    for (std::size_t i = 0; i < file_["ceilings"].size(); ++i) {
      check_gpu_reference(fmt::format("/ceilings/{}/gpu", i), file_["ceilings"][i]["gpu"]);
    }
  }

  void check_row(std::size_t index, const json& row) {
    const std::string place = fmt::format("/results/{}", index);
    check_case(place, row);
    check_rounds(place, row);
    check_summary(place, row);
    check_verify(place + "/verify", row["verify"]);
    const auto device = devices_.find(row["device"]);
    if (device == devices_.end()) {
      problem(place + "/device",
              fmt::format("{} is not in /devices", row["device"].get<std::string>()));
      return;
    }
    if ((*device->second)["api"] != row["api"]) {
      problem(place + "/api", fmt::format("{} has another api", device->first));
    }
    if (row["timer"].is_string() && row["timer"] != (*device->second)["timer"]["source"]) {
      problem(place + "/timer", fmt::format("{} has another clock", device->first));
    }
    const Key key{row["case"], row["api"], (*device->second)["gpu"], row["l2"], row["mode"]};
    const auto [first, inserted] = rows_.emplace(key, index);
    if (!inserted) {
      problem(place, fmt::format("repeats the key of /results/{}: {} with api {} on gpu {}, l2 {}, "
                                 "mode {}",
                                 first->second, std::get<0>(key), std::get<1>(key),
                                 std::get<2>(key), std::get<3>(key), std::get<4>(key)));
    }
    if (row["status"] == "ok") ok_.emplace(row["case"], row["device"]);
  }

  void check_case(const std::string& place, const json& row) {
    const auto parsed = parse_case_name(row["case"].get_ref<const std::string&>());
    if (const auto* error = std::get_if<ParseError>(&parsed)) {
      problem(place + "/case", error->message);
      return;
    }
    const auto& name = std::get<CaseName>(parsed);
    if (row["workload"] != name.workload || row["dtype"] != to_string(name.dtype) ||
        !is_size(row["size"], name.size) || row["variant"] != name.variant) {
      problem(place + "/case", "workload, dtype, size or variant beside it say something else");
    }
  }

  /// Whether the object has the dimensions of the case name; a named size implies further ones.
  static bool is_size(const json& object, const Size& size) {
    bool named = false;
    for (const Dim& dim : size) {
      named |= dim.name.empty();
      const auto found = object.find(dim.name.empty() ? "name" : dim.name);
      if (found == object.end()) return false;
      if (*found != (dim.word.empty() ? json(dim.value) : json(dim.word))) return false;
    }
    return named || object.size() == size.size();
  }

  void check_rounds(const std::string& place, const json& row) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < row["rounds"].size(); ++i) {
      const json& round = row["rounds"][i];
      const std::string here = fmt::format("{}/rounds/{}", place, i);
      const std::size_t samples = round["t_ns"].size();
      if (round["leadin_ns"].size() != samples || round["host_ns"].size() != samples) {
        problem(here, "t_ns, leadin_ns and host_ns differ in length");
      }
      if (!round["rejected"].is_null()) continue;
      ++kept;
      if (samples == 0) problem(here, "a round that counts has no samples");
    }
    if (row["summary"].is_object() && row["summary"]["rounds"] != kept) {
      problem(place + "/summary/rounds",
              fmt::format("{} rounds count, not {}", kept, row["summary"]["rounds"].dump()));
    }
  }

  void check_verify(const std::string& place, const json& verify) {
    if (!verify.is_object()) return;
    if (verify["before"] == "pass" && verify["checked"] == 0) {
      problem(place + "/checked", "nothing was compared, yet the check passed");
    }
    const auto bits = verify.find("bits");
    if (bits == verify.end() || !bits->is_object()) return;
    if ((*bits)["equal"].get<bool>() != (*bits)["cause"].is_null()) {
      problem(place + "/bits/cause", "there is a cause exactly where bits differ");
    }
  }

  void check_summary(const std::string& place, const json& row) {
    const json& summary = row["summary"];
    if (!summary.is_object()) return;
    const double median = summary["median_ns"];
    if (summary["min_ns"] > median || summary["max_ns"] < median ||
        summary["q1_ns"] > summary["q3_ns"]) {
      problem(place + "/summary", "min, quartiles, median and max are out of order");
    }
    check_interval(place + "/summary/ci95_ns", summary["ci95_ns"], median);
  }

  void check_interval(const std::string& place, const json& interval, double value) {
    if (interval.is_array() && (interval[0] > value || interval[1] < value)) {
      problem(place, "the interval does not hold its value");
    }
  }

  void check_ratio(std::size_t index, const json& ratio) {
    const std::string place = fmt::format("/ratios/{}", index);
    if (ratio["base"] == ratio["device"]) problem(place, "base and device are the same");
    for (const char* side : {"base", "device"}) {
      if (!ok_.contains({ratio["case"], ratio[side]})) {
        problem(fmt::format("{}/{}", place, side),
                fmt::format("no ok row of {} on {}", ratio["case"].get<std::string>(),
                            ratio[side].get<std::string>()));
      }
    }
    if (!ratios_.emplace(ratio["case"], ratio["base"], ratio["device"]).second) {
      problem(place, "case, base and device are those of an earlier ratio");
    }
    check_interval(place + "/ci95", ratio["ci95"], ratio["ratio"]);
  }

  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;

  const json& file_;
  std::vector<std::string> problems_;
  std::set<std::string> gpus_;
  std::map<std::string, const json*> devices_;
  std::map<Key, std::size_t> rows_;
  std::set<std::pair<std::string, std::string>> ok_;
  std::set<std::tuple<std::string, std::string, std::string>> ratios_;
};

}  // namespace

std::vector<std::string> broken_rules(const json& file) { return Rules(file).check(); }

}  // namespace parallax
