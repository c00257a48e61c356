#pragma once

#include <memory>
#include <vector>

#include "backends/device.hpp"
#include "harness/worker.hpp"
#include "workloads/workload.hpp"

namespace parallax {

/// Bytes behind every buffer that no kernel may touch.
inline constexpr std::uint64_t kGuardBytes = 64;

/// What outputs and guards hold before a run: a quiet NaN in every floating-point type.
inline constexpr std::uint32_t kPoison = 0xfffbfffbu;

/// Bytes that a case allocates for one buffer: its elements, rounded up to whole words, and the
/// guard behind them.
std::uint64_t allocated_bytes(const BufferSpec& spec);

/// One case on one device: buffers, kernels and launches, alive from construction to destruction.
class Case {
 public:
  /// Allocates, fills inputs from the seed, poisons outputs and finds the kernels.
  /// Errors: throws DeviceError; Unsupported when a kernel is absent.
  Case(Device& device, const Workload& workload, const PrepareRequest& request);

  struct Unsupported {
    std::string reason;
  };

  /// Poisons the outputs and runs every step once, outside any bracket.
  void run_once();

  /// Reads everything back and checks it: outputs against the reference, guards untouched, inputs
  /// unchanged.
  VerifyReply verify();

  [[nodiscard]] const std::vector<Launch>& launches() const { return launches_; }
  [[nodiscard]] const Kernel& first_kernel() const { return *kernels_.front(); }
  [[nodiscard]] const Step& first_step() const { return steps_.front(); }

 private:
  std::optional<std::string> check_input(std::uint32_t index);
  std::optional<std::string> check_guard(std::uint32_t index, std::span<const std::byte> bytes);

  Device& device_;
  const Workload& workload_;
  PrepareRequest request_;
  Problem problem_;
  std::vector<BufferSpec> specs_;
  std::vector<Step> steps_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::vector<Launch> launches_;
};

}  // namespace parallax
