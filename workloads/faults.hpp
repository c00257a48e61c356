/// Faults made on purpose: what `parallax selftest` feeds to the checks to see that they notice.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "workloads/workload.hpp"

namespace parallax {

/// One way to get a case wrong: a variant of a workload whose launches are changed before they run.
/// Some run the real kernels in a wrong way, some a kernel that the build has broken
/// (shaders/selftest/mutants.cmake). None touches memory beyond its buffers and their guards.
struct Fault {
  std::string workload;
  std::string name;   ///< word; no variant of the workload is called so
  std::string about;  ///< what goes wrong, one line
  Dtype dtype = Dtype::f32;
  std::string size;     ///< as people write it
  std::string variant;  ///< the one that goes wrong
  std::function<void(std::vector<Step>&)> change;
};

/// Every fault, by workload.
const std::vector<Fault>& all_faults();

/// A workload that has its faults beside its variants, by name. All else is the real workload's,
/// the expected results above all.
class FaultyWorkload : public Workload {
 public:
  /// Both must outlive this.
  FaultyWorkload(const Workload& real, const std::vector<Fault>& faults)
      : real_(real), faults_(faults) {}

  std::string_view name() const override { return real_.name(); }
  std::vector<Dtype> dtypes() const override { return real_.dtypes(); }
  std::vector<Variant> variants() const override { return real_.variants(); }
  std::vector<std::string> dims() const override { return real_.dims(); }
  std::vector<std::string> named_sizes() const override { return real_.named_sizes(); }
  std::optional<Size> complete(const Size& size) const override { return real_.complete(size); }
  std::vector<Size> sizes(Preset preset) const override { return real_.sizes(preset); }
  std::optional<std::string> size_error(const Size& size) const override {
    return real_.size_error(size);
  }
  std::vector<BufferSpec> buffers(const Problem& problem) const override {
    return real_.buffers(problem);
  }
  std::vector<Step> steps(const Problem& problem, std::string_view variant) const override;
  Reference expected(const Problem& problem, Fill fill,
                     std::span<const Bytes> inputs) const override {
    return real_.expected(problem, fill, inputs);
  }
  Tolerance tolerance(const Problem& problem) const override { return real_.tolerance(problem); }
  Cost cost(const Problem& problem) const override { return real_.cost(problem); }

 private:
  const Workload& real_;
  const std::vector<Fault>& faults_;
};

}  // namespace parallax
