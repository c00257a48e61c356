#pragma once

#include <cudaTypedefs.h>

#include <chrono>

#include "backends/counted.hpp"
#include "backends/cuda/check.hpp"
#include "backends/device.hpp"

namespace parallax::cuda {

using Clock = std::chrono::steady_clock;

inline double ns_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double, std::nano>(end - start).count();
}

class Buffer : public parallax::Buffer {
 public:
  Buffer(std::uint64_t size_bytes, Owner<void*> memory, int& live)
      : parallax::Buffer(size_bytes), memory_(std::move(memory)), counted_(live) {}
  /// The device address.
  [[nodiscard]] void* memory() const { return memory_.get(); }

 private:
  Owner<void*> memory_;
  Counted counted_;
};

class Kernel : public parallax::Kernel {
 public:
  Kernel(KernelFacts facts, Owner<cudaLibrary_t> library, cudaKernel_t kernel, Extent3 group_size,
         int& live)
      : parallax::Kernel(std::move(facts)),
        library_(std::move(library)),
        kernel_(kernel),
        group_size_(group_size),
        counted_(live) {}
  [[nodiscard]] cudaKernel_t handle() const { return kernel_; }
  [[nodiscard]] Extent3 group_size() const { return group_size_; }

 private:
  Owner<cudaLibrary_t> library_;
  cudaKernel_t kernel_;  ///< belongs to the library
  Extent3 group_size_;
  Counted counted_;
};

/// One CUDA device: its primary context, one stream and the three events of the timing bracket.
class Device : public parallax::Device {
 public:
  /// Errors: throws DeviceError when the driver refuses a context.
  explicit Device(DeviceInfo info);
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
  /// The runtime's current device is a property of the thread, and other devices share the thread.
  void make_current() const;
  KernelOrReason load(std::string_view name, std::span<const std::byte> code, KernelFacts facts,
                      Extent3 group_size);
  std::string compute_capability() const;
  Timing finish(Clock::time_point start);

  void launch(const Launch& launch);
  void record(const Owner<cudaEvent_t>& event);

  DeviceInfo info_;
  int ordinal_;
  Owner<cudaStream_t> stream_;
  Owner<cudaEvent_t> before_;  ///< Tm1: before the lead-in
  Owner<cudaEvent_t> start_;   ///< T0: the lead-in is complete
  Owner<cudaEvent_t> end_;     ///< T1: the last launch is complete
  PFN_cuMemsetD32Async_v3020 memset_words_ = nullptr;
  int live_ = 0;
};

}  // namespace parallax::cuda
