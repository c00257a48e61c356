#include "tests/fake/fake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <stdexcept>
#include <thread>

#include "backends/checks.hpp"
#include "backends/device_code.hpp"
#include "backends/error.hpp"

namespace parallax::fake {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kPastEndBytes = 64;

// --- facts -----------------------------------------------------------------------------------

DeviceType parse_type(const std::string& text) {
  for (DeviceType type : {DeviceType::discrete_gpu, DeviceType::integrated_gpu,
                          DeviceType::virtual_gpu, DeviceType::cpu, DeviceType::other}) {
    if (text == to_string(type)) return type;
  }
  throw std::invalid_argument("unknown device type " + text);
}

std::optional<std::string> optional_text(const Json& json, const char* key) {
  if (!json.contains(key)) return std::nullopt;
  return json.at(key).get<std::string>();
}

std::string name_of(const Json& json) {
  if (!json.contains("name_bytes")) return json.value("name", "Fake GPU");
  std::string name;
  for (const Json& byte : json.at("name_bytes")) name += static_cast<char>(byte.get<int>());
  return name;
}

Limits parse_limits(const Json& json) {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  constexpr std::array<std::uint64_t, 3> kLanes = {1024, 1024, 64};
  constexpr std::array<std::uint64_t, 3> kGroups = {2147483647, 65535, 65535};
  return {.memory_bytes = json.value("memory_bytes", 16 * kGiB),
          .max_buffer_bytes = json.value("max_buffer_bytes", 16 * kGiB),
          .max_binding_bytes = json.value("max_binding_bytes", 16 * kGiB),
          .max_group_lanes = json.value("max_group_lanes", std::uint64_t{1024}),
          .max_group_size = json.value("max_group_size", kLanes),
          .max_group_count = json.value("max_group_count", kGroups),
          .shared_bytes = json.value("shared_bytes", std::uint64_t{48} << 10)};
}

Timer parse_timer(const Json& json) {
  return {.source = json.value("source", "fake_clock"),
          .period_ns = json.value("period_ns", 1.0),
          .valid_bits = json.value("valid_bits", 64u),
          .declared_ns = json.value("declared_ns", 1.0)};
}

DeviceInfo parse_device(const std::string& api, std::size_t index, const Json& json) {
  DeviceInfo info;
  info.id = fmt::format("{}:{}", api, index);
  info.api = api;
  info.name = name_of(json);
  info.type = parse_type(json.value("type", "discrete_gpu"));
  info.api_version = json.value("api_version", "1.0");
  info.driver = json.value("driver", "fake 1.0");
  info.platform = json.value("platform", "");
  info.uuid = optional_text(json, "uuid");
  info.pci = optional_text(json, "pci");
  info.luid = optional_text(json, "luid");
  info.limits = parse_limits(json.value("limits", Json::object()));
  info.l2_bytes = json.value("l2_bytes", std::uint64_t{0});
  info.features = json.value("features", std::vector<std::string>{"f16_storage", "f64"});
  info.timer = parse_timer(json.value("timer", Json::object()));
  return info;
}

// --- faults ----------------------------------------------------------------------------------

/// A number, "nan", "inf", or null for an absent duration.
std::optional<double> parse_duration(const Json& json) {
  if (json.is_null()) return std::nullopt;
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  return json.get<double>();
}

/// What a call is about, as far as faults ask.
struct Call {
  explicit Call(std::string_view what, std::string_view on = "") : kind(what), kernel(on) {}
  std::string_view kind;
  std::string kernel;
  std::uint64_t size_bytes = 0;
  bool bracketed = false;
  std::optional<std::uint32_t> first_constant;
  std::vector<std::uint32_t> constants;
};

class Fault {
 public:
  explicit Fault(Json json) : json_(std::move(json)), nth_(json_.value("nth", 0u)) {
    last_ = json_.value("last", nth_ == 0 ? std::numeric_limits<unsigned>::max() : nth_);
    if (json_.contains("kernel")) kernel_ = std::regex(json_.at("kernel").get<std::string>());
  }

  /// Counts the call if it is one that the fault is about; says whether the fault happens now.
  bool meets(const Call& call) {
    if (json_.at("call") != call.kind) return false;
    if (json_.contains("kernel") && !std::regex_search(call.kernel, kernel_)) return false;
    if (json_.contains("first_constant") && json_.at("first_constant") != call.first_constant) {
      return false;
    }
    if (!has_constants(call.constants)) return false;
    if (call.size_bytes < json_.value("min_bytes", std::uint64_t{0})) return false;
    if (json_.contains("bracketed") && json_.at("bracketed") != call.bracketed) return false;
    ++seen_;
    return seen_ >= std::max(nth_, 1u) && seen_ <= last_;
  }

  [[nodiscard]] std::string effect() const { return json_.value("effect", ""); }
  [[nodiscard]] std::string absent() const { return json_.value("absent", ""); }
  [[nodiscard]] const Json& json() const { return json_; }

  /// Sleeps and throws as the script says.
  void strike(const Call& call) const {
    if (json_.contains("sleep_ms")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(json_.at("sleep_ms").get<int>()));
    }
    if (!json_.contains("throw")) return;
    const std::string kind = json_.at("throw");
    if (kind == "bad_alloc") throw std::bad_alloc();
    throw DeviceError(parse_kind(kind), fmt::format("fake_{}({})", call.kind, call.kernel), -5,
                      "FAKE_ERROR", json_.value("log", ""));
  }

  /// Distorts the durations of a run.
  void distort(Timing& timing) const {
    if (json_.contains("set_device_ns")) timing.device_ns = parse_duration(json_["set_device_ns"]);
    if (json_.contains("set_leadin_ns")) timing.leadin_ns = parse_duration(json_["set_leadin_ns"]);
    if (timing.device_ns) *timing.device_ns *= json_.value("scale_device", 1.0);
    if (timing.leadin_ns) *timing.leadin_ns *= json_.value("scale_leadin", 1.0);
    timing.host_ns *= json_.value("scale_host", 1.0);
  }

 private:
  [[nodiscard]] bool has_constants(const std::vector<std::uint32_t>& constants) const {
    const Json wanted = json_.value("constants", Json::object());
    for (const auto& [index, value] : wanted.items()) {
      const std::size_t at = std::stoul(index);
      if (at >= constants.size() || constants[at] != value.get<std::uint32_t>()) return false;
    }
    return true;
  }

  static DeviceError::Kind parse_kind(const std::string& text) {
    if (text == "failed") return DeviceError::Kind::failed;
    if (text == "out_of_memory") return DeviceError::Kind::out_of_memory;
    if (text == "device_lost") return DeviceError::Kind::device_lost;
    if (text == "build_failed") return DeviceError::Kind::build_failed;
    throw std::invalid_argument("unknown kind of error " + text);
  }

  Json json_;
  std::regex kernel_;
  unsigned nth_;
  unsigned last_ = 0;
  unsigned seen_ = 0;
};

// --- objects ---------------------------------------------------------------------------------

class FakeBuffer : public Buffer {
 public:
  // Undefined contents are not zero, so that a test which forgets to write sees it.
  explicit FakeBuffer(std::uint64_t size_bytes)
      : Buffer(size_bytes), words_((size_bytes + 15) / 16, Word{0xcdcdcdcdcdcdcdcd, ~0ull}) {}
  [[nodiscard]] std::byte* data() { return reinterpret_cast<std::byte*>(words_.data()); }
  [[nodiscard]] const std::byte* data() const {
    return reinterpret_cast<const std::byte*>(words_.data());
  }

 private:
  struct alignas(16) Word {
    std::uint64_t low, high;
  };
  std::vector<Word> words_;
};

class FakeKernel : public Kernel {
 public:
  FakeKernel(std::string name, HostKernel function, Extent3 group_size)
      : Kernel(KernelFacts{.registers = 16,
                           .spill_bytes = 0,
                           .shared_bytes = 0,
                           .build_ns = 1000.0,
                           .source_hash = "00000000deadbeef",
                           .flags = {},
                           .fused_fma = {}}),
        name_(std::move(name)),
        function_(function),
        group_size_(group_size) {}
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] HostKernel function() const { return function_; }
  [[nodiscard]] Extent3 group_size() const { return group_size_; }

 private:
  std::string name_;
  HostKernel function_;
  Extent3 group_size_;
};

FakeBuffer& fake(Buffer& buffer) { return dynamic_cast<FakeBuffer&>(buffer); }
const FakeKernel& kernel_of(const Launch& launch) {
  return dynamic_cast<const FakeKernel&>(*launch.kernel);
}

std::vector<std::uint32_t> constants_of(const Launch& launch) {
  std::vector<std::uint32_t> values(launch.constants.size() / sizeof(std::uint32_t));
  if (values.empty()) return values;
  std::memcpy(values.data(), launch.constants.data(), values.size() * sizeof(std::uint32_t));
  return values;
}

std::optional<std::uint32_t> first_constant(const Launch& launch) {
  const std::vector<std::uint32_t> values = constants_of(launch);
  if (values.empty()) return std::nullopt;
  return values.front();
}

bool is_spin(const Launch& launch) { return kernel_of(launch).name().starts_with("spin/"); }

/// Iterations of all launches of a lead-in.
std::uint64_t spins(std::span<const Launch> lead_in) {
  std::uint64_t iterations = 0;
  for (const Launch& launch : lead_in) iterations += first_constant(launch).value_or(0);
  return iterations;
}

void compute(const Launch& launch) {
  const FakeKernel& kernel = kernel_of(launch);
  std::vector<std::byte*> buffers;
  for (Buffer* buffer : launch.buffers) buffers.push_back(fake(*buffer).data());
  for (std::uint32_t z = 0; z < launch.groups.z; ++z) {
    for (std::uint32_t y = 0; y < launch.groups.y; ++y) {
      for (std::uint32_t x = 0; x < launch.groups.x; ++x) {
        kernel.function()({.group = {x, y, z},
                           .groups = launch.groups,
                           .group_size = kernel.group_size(),
                           .buffers = buffers,
                           .constants = launch.constants});
      }
    }
  }
}

/// Computes a launch, or something else.
void compute_with(const Launch& launch, const std::string& effect) {
  if (effect == "skip") return;
  FakeBuffer& out = fake(*launch.buffers.back());
  // The harness keeps its guard in the last bytes; a third of what is before them is skipped.
  const std::uint64_t used = out.size_bytes() - std::min(out.size_bytes(), kPastEndBytes);
  std::byte* const last_third = out.data() + used * 2 / 3;
  const std::vector<std::byte> before(last_third, out.data() + used);
  compute(launch);
  if (effect == "skip_last_third") {
    std::ranges::copy(before, last_third);
  } else if (effect == "write_past_end") {
    std::memset(out.data() + out.size_bytes() - kPastEndBytes, 0x5a, sizeof(std::uint32_t));
  } else if (effect == "modify_input") {
    *fake(*launch.buffers.front()).data() ^= std::byte{1};
  } else if (effect == "flip_bit") {
    *out.data() ^= std::byte{1};
  } else if (!effect.empty()) {
    throw std::invalid_argument("unknown effect " + effect);
  }
}

// --- the device ------------------------------------------------------------------------------

void log_call(const std::string& device, const Call& call, const std::string& detail) {
  const char* path = std::getenv("PARALLAX_FAKE_LOG");
  if (path == nullptr) return;
  std::ofstream(path, std::ios::app)
      << device << ' ' << call.kind << ' ' << call.kernel << ' ' << detail << '\n';
}

class FakeDevice : public Device {
 public:
  FakeDevice(DeviceInfo info, const Json& json)
      : info_(std::move(info)),
        json_(json),
        mask_(elapsed_ticks(0, ~std::uint64_t{0}, std::max(1u, info_.timer.valid_bits))) {
    for (const Json& fault : json.value("faults", Json::array())) faults_.emplace_back(fault);
    strike(Call("open"));
  }

  const DeviceInfo& info() const override { return info_; }

  std::unique_ptr<Buffer> allocate(std::uint64_t size_bytes) override {
    if (size_bytes == 0) throw std::invalid_argument("allocation of 0 bytes");
    Call call("allocate");
    call.size_bytes = size_bytes;
    strike(call);
    return std::make_unique<FakeBuffer>(size_bytes);
  }

  KernelOrReason find_kernel(std::string_view name, Extent3 group_size) override {
    const Call call("find_kernel", name);
    log_call(info_.id, call, "");
    for (Fault* fault : met(call)) {
      fault->strike(call);
      if (!fault->absent().empty()) return Absent{fault->absent()};
    }
    const HostKernel function = find_host_kernel(name);
    if (function == nullptr) return Absent{fmt::format("no fake kernel {}", name)};
    if (auto reason = group_over_limits(info_, group_size)) return Absent{*reason};
    if (auto reason = dtype_unsupported(info_, name)) return Absent{*reason};
    return std::make_unique<FakeKernel>(std::string(name), function, group_size);
  }

  Timing write(Buffer& buffer, std::span<const std::byte> bytes) override {
    check_copy(buffer, bytes.size());
    strike(Call("write"));
    std::memcpy(fake(buffer).data(), bytes.data(), bytes.size());
    return transfer();
  }

  Timing read(const Buffer& buffer, std::span<std::byte> bytes) override {
    check_copy(buffer, bytes.size());
    strike(Call("read"));
    std::memcpy(bytes.data(), dynamic_cast<const FakeBuffer&>(buffer).data(), bytes.size());
    return transfer();
  }

  Timing fill(Buffer& buffer, std::uint32_t pattern) override {
    check_fill(buffer);
    strike(Call("fill"));
    for (std::uint64_t at = 0; at < buffer.size_bytes(); at += sizeof pattern) {
      std::memcpy(fake(buffer).data() + at, &pattern, sizeof pattern);
    }
    return transfer();
  }

  Timing run(std::span<const Launch> lead_in, std::span<const Launch> launches,
             std::uint32_t repeats) override {
    check_run(info_, lead_in, launches, repeats);
    Call call("run", kernel_of(launches.front()).name());
    call.bracketed = !lead_in.empty();
    call.first_constant = first_constant(launches.front());
    call.constants = constants_of(launches.front());
    log_call(info_.id, call,
             fmt::format("repeats={} lead_in={} first={}", repeats, spins(lead_in),
                         call.first_constant.value_or(0)));
    const std::vector<Fault*> faults = met(call);
    std::string effect;
    for (const Fault* fault : faults) {
      fault->strike(call);
      if (!fault->effect().empty()) effect = fault->effect();
    }
    // Steps may be run any number of times with the same result, so once is enough.
    for (const Launch& launch : launches) {
      if (!is_spin(launch)) compute_with(launch, effect);
    }
    Timing timing = time_of(lead_in, launches, repeats);
    for (const Fault* fault : faults) fault->distort(timing);
    return timing;
  }

 private:
  std::vector<Fault*> met(const Call& call) {
    std::vector<Fault*> found;
    for (Fault& fault : faults_) {
      if (fault.meets(call)) found.push_back(&fault);
    }
    return found;
  }

  void strike(const Call& call) {
    for (const Fault* fault : met(call)) fault->strike(call);
  }

  static Timing transfer() {
    return {.device_ns = {}, .leadin_ns = {}, .enqueue_ns = {}, .host_ns = 1000.0};
  }

  double launch_ns(const Launch& launch) const {
    if (is_spin(launch)) {
      return first_constant(launch).value_or(0) * json_.value("spin_step_ns", 1.0);
    }
    for (const Json& time : json_.value("times", Json::array())) {
      const std::regex kernel(time.at("kernel").get<std::string>());
      if (!std::regex_search(kernel_of(launch).name(), kernel)) continue;
      if (time.contains("first_constant") && time["first_constant"] != first_constant(launch)) {
        continue;
      }
      return time.at("ns").get<double>();
    }
    double bytes = 0.0;
    for (const Buffer* buffer : launch.buffers) bytes += static_cast<double>(buffer->size_bytes());
    return json_.value("launch_ns", 2000.0) + bytes / json_.value("bytes_per_ns", 1000.0);
  }

  double with_jitter(double ns) {
    const double unit = static_cast<double>(random_() >> 11) * 0x1p-53;
    return ns * (1.0 + json_.value("jitter", 0.0) * (2.0 * unit - 1.0));
  }

  /// Passes a duration through the clock: whole ticks of a counter that wraps.
  std::optional<double> on_clock(double ns) const {
    const auto ticks = static_cast<std::uint64_t>(std::llround(ns / info_.timer.period_ns));
    const std::uint64_t start = json_.value("start_tick", std::uint64_t{0}) & mask_;
    return elapsed_ns(start, (start + ticks) & mask_, info_.timer);
  }

  Timing time_of(std::span<const Launch> lead_in, std::span<const Launch> launches,
                 std::uint32_t repeats) {
    double lead_in_ns = 0.0;
    double device_ns = 0.0;
    for (const Launch& launch : lead_in) lead_in_ns += launch_ns(launch);
    for (const Launch& launch : launches) device_ns += repeats * launch_ns(launch);
    device_ns = with_jitter(device_ns);
    Timing timing;
    if (!lead_in.empty()) {
      timing.leadin_ns = on_clock(lead_in_ns);
      timing.device_ns = on_clock(device_ns);
    }
    timing.enqueue_ns = json_.value("enqueue_ns", 100.0);
    timing.host_ns = lead_in_ns + device_ns + 5000.0;
    return timing;
  }

  DeviceInfo info_;
  Json json_;
  std::uint64_t mask_;
  std::vector<Fault> faults_;
  std::mt19937_64 random_{42};
};

// --- the backend -----------------------------------------------------------------------------

class FakeBackend : public Backend {
 public:
  FakeBackend(std::string name, Json json) : name_(std::move(name)), json_(std::move(json)) {}

  std::string_view name() const override { return name_; }

  DeviceList list() override {
    DeviceList list;
    list.notes = json_.value("notes", std::vector<std::string>{});
    const Json& devices = devices_json();
    for (std::size_t i = 0; i < devices.size(); ++i) {
      list.devices.push_back(parse_device(name_, i, devices[i]));
    }
    if (devices.empty()) list.reason = json_.value("reason", "the script names no device");
    return list;
  }

  std::optional<std::string> lacks_kernel(std::string_view kernel) const override {
    for (const Json& lack : json_.value("lacks", Json::array())) {
      const std::regex pattern(lack.at("kernel").get<std::string>());
      if (std::regex_search(std::string(kernel), pattern)) return lack.at("reason");
    }
    if (find_host_kernel(kernel) == nullptr) return fmt::format("no fake kernel {}", kernel);
    return std::nullopt;
  }

  std::unique_ptr<Device> open(std::string_view id) override {
    for (const DeviceInfo& info : list().devices) {
      if (info.id != id) continue;
      const auto index = std::stoul(std::string(id.substr(id.find(':') + 1)));
      return std::make_unique<FakeDevice>(info, devices_json()[index]);
    }
    throw std::invalid_argument(fmt::format("no device {}", id));
  }

 private:
  const Json& devices_json() const {
    static const Json none = Json::array();
    return json_.contains("devices") ? json_.at("devices") : none;
  }

  std::string name_;
  Json json_;
};

// --- the script ------------------------------------------------------------------------------

constexpr const char* kDefaultScript = R"({"apis": {
  "fakea": {"devices": [{"uuid": "00000000-0000-0000-0000-00000000000a", "pci": "0000:01:00.0"}]},
  "fakeb": {"devices": [{"uuid": "00000000-0000-0000-0000-00000000000a", "pci": "0000:01:00.0"}]}
}})";

struct Script {
  std::vector<std::pair<std::string, Json>> apis;
};

/// Written once by backends_from_environment(): the entries of a registry are plain functions.
Script& script() {
  static Script script;
  return script;
}

template <std::size_t kIndex>
std::unique_ptr<Backend> make_nth() {
  const auto& [name, json] = script().apis.at(kIndex);
  return std::make_unique<FakeBackend>(name, json);
}

constexpr std::array<std::unique_ptr<Backend> (*)(), kMaxApis> kMakers = {make_nth<0>, make_nth<1>,
                                                                          make_nth<2>, make_nth<3>};

Script read_script() {
  Json json = Json::parse(kDefaultScript);
  if (const char* path = std::getenv("PARALLAX_FAKE_SCRIPT")) {
    std::ifstream file(path);
    if (!file) throw std::invalid_argument(fmt::format("cannot read {}", path));
    json = Json::parse(file);
  }
  Script script;
  for (const auto& [name, api] : json.at("apis").items()) script.apis.emplace_back(name, api);
  if (script.apis.size() > kMaxApis) throw std::invalid_argument("too many APIs in the script");
  return script;
}

}  // namespace

std::unique_ptr<Backend> make_backend(std::string name, std::string_view api_json) {
  try {
    return std::make_unique<FakeBackend>(std::move(name), Json::parse(api_json));
  } catch (const Json::exception& error) {
    throw std::invalid_argument(error.what());
  }
}

std::vector<BackendEntry> backends_from_environment() {
  script() = read_script();
  std::vector<BackendEntry> entries;
  for (std::size_t i = 0; i < script().apis.size(); ++i) {
    const auto& [name, api] = script().apis[i];
    const std::string not_built = api.value("not_built", "");
    entries.push_back({name, not_built.empty() ? kMakers[i] : nullptr, not_built});
  }
  return entries;
}

}  // namespace parallax::fake
