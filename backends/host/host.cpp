/// The CPU as a device: the reference that every machine has, and the template for new backends.
/// Kernels are plain C++ (shaders/<workload>/<variant>.cpp), one call per group, groups in
/// parallel.
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "backends/checks.hpp"
#include "backends/device_code.hpp"
#include "backends/error.hpp"
#include "backends/host/threads.hpp"

namespace parallax::host {
namespace {

using Clock = std::chrono::steady_clock;

double ns_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

class HostBuffer : public Buffer {
 public:
  // One vector register of any x86 or Arm machine; also what the other APIs give at least.
  static constexpr std::size_t kAlignment = 64;

  explicit HostBuffer(std::uint64_t size_bytes) : Buffer(size_bytes) {
    const std::uint64_t rounded = (size_bytes + kAlignment - 1) / kAlignment * kAlignment;
    data_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded)));
    if (!data_) {
      throw DeviceError(DeviceError::Kind::out_of_memory,
                        fmt::format("aligned_alloc({}, {})", kAlignment, rounded), ENOMEM,
                        "ENOMEM");
    }
  }
  [[nodiscard]] std::byte* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  std::unique_ptr<std::byte, Free> data_;
};

class HostKernelHandle : public Kernel {
 public:
  HostKernelHandle(HostKernel function, Extent3 group_size, KernelFacts facts)
      : Kernel(std::move(facts)), function_(function), group_size_(group_size) {}
  [[nodiscard]] HostKernel function() const { return function_; }
  [[nodiscard]] Extent3 group_size() const { return group_size_; }

 private:
  HostKernel function_;
  Extent3 group_size_;
};

std::byte* data_of(const Buffer& buffer) { return static_cast<const HostBuffer&>(buffer).data(); }

std::optional<std::string> lacks_host_kernel(std::string_view name) {
  if (find_host_kernel(name) != nullptr) return std::nullopt;
  return fmt::format("no host kernel {}", name);
}

class HostDevice : public Device {
 public:
  explicit HostDevice(DeviceInfo info) : info_(std::move(info)) {}

  const DeviceInfo& info() const override { return info_; }

  std::unique_ptr<Buffer> allocate(std::uint64_t size_bytes) override {
    check_allocate(size_bytes);
    return std::make_unique<HostBuffer>(size_bytes);
  }

  KernelOrReason find_kernel(std::string_view name, Extent3 group_size) override {
    if (auto reason = lacks_host_kernel(name)) return Absent{*reason};
    if (auto reason = group_over_limits(info_, group_size)) return Absent{*reason};
    HostCode code = find_host_code(name);
    KernelFacts facts;
    facts.source_hash = std::move(code.hash);
    facts.flags = std::move(code.flags);
    return std::make_unique<HostKernelHandle>(code.function, group_size, std::move(facts));
  }

  Timing write(Buffer& buffer, std::span<const std::byte> bytes) override {
    check_copy(buffer, bytes.size());
    const auto start = Clock::now();
    std::memcpy(data_of(buffer), bytes.data(), bytes.size());
    return {.device_ns = {}, .leadin_ns = {}, .enqueue_ns = {}, .host_ns = ns_since(start)};
  }

  Timing read(const Buffer& buffer, std::span<std::byte> bytes) override {
    check_copy(buffer, bytes.size());
    const auto start = Clock::now();
    std::memcpy(bytes.data(), data_of(buffer), bytes.size());
    return {.device_ns = {}, .leadin_ns = {}, .enqueue_ns = {}, .host_ns = ns_since(start)};
  }

  Timing fill(Buffer& buffer, std::uint32_t pattern) override {
    check_fill(buffer);
    const auto start = Clock::now();
    auto* words = reinterpret_cast<std::uint32_t*>(data_of(buffer));
    std::fill_n(words, buffer.size_bytes() / sizeof pattern, pattern);
    return {.device_ns = {}, .leadin_ns = {}, .enqueue_ns = {}, .host_ns = ns_since(start)};
  }

  Timing run(std::span<const Launch> lead_in, std::span<const Launch> launches,
             std::uint32_t repeats) override {
    check_run(info_, lead_in, launches, repeats);
    const auto start = Clock::now();
    for (const Launch& launch : lead_in) dispatch(launch);
    const auto t0 = Clock::now();
    for (std::uint32_t r = 0; r < repeats; ++r) {
      for (const Launch& launch : launches) dispatch(launch);
    }
    const auto t1 = Clock::now();
    Timing timing;
    if (!lead_in.empty()) {
      timing.leadin_ns = std::chrono::duration<double, std::nano>(t0 - start).count();
      timing.device_ns = std::chrono::duration<double, std::nano>(t1 - t0).count();
    }
    timing.enqueue_ns = 0.0;  // a call is its own submission: nothing is handed over in advance
    timing.host_ns = std::chrono::duration<double, std::nano>(t1 - start).count();
    return timing;
  }

 private:
  void dispatch(const Launch& launch) {
    const auto& kernel = static_cast<const HostKernelHandle&>(*launch.kernel);
    std::array<std::byte*, kMaxBuffers> buffers{};
    for (std::size_t i = 0; i < launch.buffers.size(); ++i)
      buffers[i] = data_of(*launch.buffers[i]);
    threads_.for_each(launch.groups.count(), [&](std::uint64_t index) {
      const auto x = static_cast<std::uint32_t>(index % launch.groups.x);
      const auto y = static_cast<std::uint32_t>(index / launch.groups.x % launch.groups.y);
      const auto z = static_cast<std::uint32_t>(index / launch.groups.x / launch.groups.y);
      kernel.function()({.group = {x, y, z},
                         .groups = launch.groups,
                         .group_size = kernel.group_size(),
                         .buffers = std::span(buffers.data(), launch.buffers.size()),
                         .constants = launch.constants});
    });
  }

  DeviceInfo info_;
  Threads threads_;
};

std::string cpu_model() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  }
  return "CPU";
}

DeviceInfo describe() {
  DeviceInfo info;
  info.id = "host:0";
  info.api = "host";
  info.name = cpu_model();
  info.type = DeviceType::cpu;
  info.api_version = "C++20";
  utsname names{};
  if (uname(&names) == 0) {
    // The version alone: what follows names one machine's build.
    const std::string_view release = names.release;
    info.driver = fmt::format("{} {}", names.sysname,
                              release.substr(0, release.find_first_not_of("0123456789.")));
  }
  info.limits.memory_bytes =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  info.limits.max_buffer_bytes = info.limits.memory_bytes;
  info.limits.max_binding_bytes = info.limits.memory_bytes;
  info.limits.max_group_lanes = 1024;
  info.limits.max_group_size = {1024, 1024, 1024};
  info.limits.max_group_count = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  info.limits.shared_bytes = std::uint64_t{48} * 1024;
  info.l2_bytes = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_LEVEL2_CACHE_SIZE)));
  info.features = {"f16_storage", "f64"};
  info.timer = {.source = "steady_clock",
                .period_ns = 1e9 * Clock::period::num / Clock::period::den,
                .valid_bits = 64,
                .declared_ns = 1.0};
  return info;
}

class HostBackend : public Backend {
 public:
  std::string_view name() const override { return "host"; }
  DeviceList list() override { return {.devices = {describe()}, .notes = {}, .reason = {}}; }
  std::optional<std::string> lacks_kernel(std::string_view kernel) const override {
    return lacks_host_kernel(kernel);
  }
  std::unique_ptr<Device> open(std::string_view id) override {
    if (id != "host:0") throw std::invalid_argument(fmt::format("no device {}", id));
    return std::make_unique<HostDevice>(describe());
  }
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<HostBackend>(); }

}  // namespace parallax::host
