#pragma once

#include <memory>
#include <vector>

#include "backends/device.hpp"
#include "harness/worker.hpp"
#include "workloads/workload.hpp"

namespace parallax {

/// Bytes behind every buffer that no kernel may touch.
inline constexpr std::uint64_t kGuardBytes = 64;

/// What outputs and their guards hold before a run: a quiet NaN in every floating-point type.
inline constexpr std::uint32_t kPoison = 0xfffbfffbu;

/// What the guards of inputs hold: another NaN, because many processors pass the bits of a NaN on,
/// and a kernel that reads and writes too far would put back what the guard of its output held.
inline constexpr std::uint32_t kInputGuard = 0xfff7fff7u;

/// Bytes that a case allocates for one buffer: its elements, rounded up to whole words, and the
/// guard behind them.
std::uint64_t allocated_bytes(const BufferSpec& spec);

/// One case on one device: buffers, kernels and launches, alive from construction to destruction.
class Case {
 public:
  /// A kernel that this device lacks, with the reason.
  struct Unsupported {
    std::string reason;
  };

  /// Finds the kernels and allocates. Inputs are undefined until load().
  /// Errors: throws DeviceError; throws Unsupported when a kernel is absent.
  Case(Device& device, const Workload& workload, const PrepareRequest& request);

  /// Fills the inputs from the seed; verify() then expects what belongs to them.
  void load(Fill fill);

  /// Fills outputs, scratch and their guards with kPoison, so that a result that is not written
  /// again fails the next verify().
  void poison_outputs();

  /// Runs every step once, outside any bracket.
  void run_once();

  /// Reads everything back and checks it: the output against its reference, padding and guards
  /// untouched, inputs unchanged.
  VerifyReply verify();

  [[nodiscard]] const std::vector<Launch>& launches() const { return launches_; }
  [[nodiscard]] const Kernel& first_kernel() const { return *kernels_.front(); }
  [[nodiscard]] const Step& first_step() const { return steps_.front(); }

 private:
  [[nodiscard]] std::optional<std::string> find_stray_write(std::uint32_t index,
                                                            std::span<const std::byte> bytes) const;

  /// Host memory for one buffer at a time, kept between uses: fresh pages cost more than the copy.
  std::span<std::byte> scratch(std::uint64_t size_bytes);

  Device& device_;
  const Workload& workload_;
  PrepareRequest request_;
  Fill fill_ = Fill::random;
  Problem problem_;
  std::vector<BufferSpec> specs_;
  std::vector<Step> steps_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::vector<Launch> launches_;
  Bytes scratch_;
};

}  // namespace parallax
