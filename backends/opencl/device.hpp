#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>

#include "backends/counted.hpp"
#include "backends/opencl/api.hpp"
#include "backends/opencl/enumerate.hpp"

namespace parallax::opencl {

using Clock = std::chrono::steady_clock;

inline double ns_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double, std::nano>(end - start).count();
}

class Buffer : public parallax::Buffer {
 public:
  Buffer(std::uint64_t size_bytes, std::uint64_t serial, Owner<cl_mem> memory, int& live)
      : parallax::Buffer(size_bytes), serial_(serial), memory_(std::move(memory)), counted_(live) {}
  [[nodiscard]] cl_mem memory() const { return memory_.get(); }
  /// Differs for any two buffers of a device, where a handle may come back after a release.
  [[nodiscard]] std::uint64_t serial() const { return serial_; }

 private:
  std::uint64_t serial_;
  Owner<cl_mem> memory_;
  Counted counted_;
};

/// A kernel and the arguments that it holds now: OpenCL binds them to the kernel, not the launch.
class Kernel : public parallax::Kernel {
 public:
  Kernel(KernelFacts facts, Owner<cl_program> program, Owner<cl_kernel> kernel, Extent3 group_size,
         int& live)
      : parallax::Kernel(std::move(facts)),
        program_(std::move(program)),
        kernel_(std::move(kernel)),
        group_size_(group_size),
        counted_(live) {}
  [[nodiscard]] cl_kernel handle() const { return kernel_.get(); }
  [[nodiscard]] Extent3 group_size() const { return group_size_; }

  /// Sets what differs from the last launch; a call per argument costs more than the comparison.
  void bind(const Api& api, const Launch& launch) const;

 private:
  Owner<cl_program> program_;
  Owner<cl_kernel> kernel_;
  Extent3 group_size_;
  Counted counted_;
  mutable std::array<std::uint64_t, kMaxBuffers> bound_buffers_{};  ///< serials; 0: none
  mutable std::vector<std::byte> bound_constants_;
  mutable std::size_t constants_index_ = 0;
};

/// One OpenCL device with one context and one in-order queue, which profiles if the device can.
class Device : public parallax::Device {
 public:
  /// Errors: throws DeviceError when the driver refuses a context or a queue.
  Device(const Api& api, const Found& found);
  ~Device() override;

  const DeviceInfo& info() const override { return info_; }
  std::unique_ptr<parallax::Buffer> allocate(std::uint64_t size_bytes) override;
  KernelOrReason find_kernel(std::string_view name, Extent3 group_size) override;
  Timing write(parallax::Buffer& buffer, std::span<const std::byte> bytes) override;
  Timing read(const parallax::Buffer& buffer, std::span<std::byte> bytes) override;
  Timing fill(parallax::Buffer& buffer, std::uint32_t pattern) override;
  Timing run(std::span<const Launch> lead_in, std::span<const Launch> launches,
             std::uint32_t repeats) override;

 private:
  Owner<cl_program> build(std::string_view source, const std::vector<std::string>& flags);
  std::string build_log(cl_program program);

  /// What the compiler's log says of a kernel.
  struct LogFacts {
    std::optional<std::uint32_t> registers;
    std::optional<std::uint32_t> spill_bytes;
  };
  LogFacts log_facts(std::string_view name, std::string_view source,
                     const std::vector<std::string>& flags, cl_program program);
  std::optional<std::string> kernel_over_limits(cl_kernel kernel, Extent3 group_size);

  /// Enqueues one launch; a non-null `event` receives the event of its completion.
  void enqueue(const Launch& launch, Owner<cl_event>* event);
  void wait(const Owner<cl_event>& event);
  std::optional<std::uint64_t> stamp(const Owner<cl_event>& event, cl_profiling_info what);
  std::optional<double> elapsed(const Owner<cl_event>& start_event, cl_profiling_info start,
                                const Owner<cl_event>& end_event);

  const Api& api_;
  DeviceInfo info_;
  cl_device_id device_;
  Owner<cl_context> context_;
  Owner<cl_command_queue> queue_;
  std::uint64_t next_serial_ = 1;
  std::map<std::string, LogFacts, std::less<>> log_facts_;  ///< by kernel
  int live_ = 0;
};

}  // namespace parallax::opencl
