// Every workload, variant and dtype at sizes that fit no vector and no group, on every device:
// inputs as the suite makes them, every element checked, nothing written where nothing belongs.
#include <fmt/format.h>

#include <algorithm>

#include "harness/case.hpp"
#include "tests/contract/devices.hpp"
#include "workloads/compare.hpp"
#include "workloads/inputs.hpp"

namespace parallax {
namespace {

constexpr std::uint64_t kSeed = 5;

class WorkloadsOn : public OnDevice {
 protected:
  [[nodiscard]] bool has(std::string_view feature) const {
    return std::ranges::count(info().features, feature) > 0;
  }

  /// Whether a kernel may be absent here: its dtype needs a feature that the device lacks.
  [[nodiscard]] bool may_lack(Dtype dtype) const {
    return (dtype == Dtype::f64 && !has("f64")) || (dtype == Dtype::f16 && !has("f16_storage"));
  }

  void check(const Workload& workload, const Problem& problem, const Variant& variant) {
    SCOPED_TRACE(fmt::format("{} {} {} n={}", workload.name(), to_string(problem.dtype),
                             variant.name, problem.size.front().value));
    const std::vector<BufferSpec> specs = workload.buffers(problem);
    std::vector<Bytes> inputs;
    std::vector<std::unique_ptr<Buffer>> buffers;
    for (std::uint32_t i = 0; i < specs.size(); ++i) {
      buffers.push_back(device_->allocate(allocated_bytes(specs[i])));
      device_->fill(*buffers[i], kPoison);
      if (specs[i].role != Role::in) continue;
      inputs.push_back(make_input(specs[i], kSeed, i));
      std::vector<std::byte> bytes = download<std::byte>(*buffers[i]);
      std::ranges::copy(inputs.back(), bytes.begin());
      device_->write(*buffers[i], bytes);
    }
    std::vector<std::unique_ptr<Kernel>> kernels;
    std::vector<Launch> launches;
    for (const Step& step : workload.steps(problem, variant.name)) {
      kernels.push_back(kernel(step.kernel, step.group_size));
      launches.push_back({.kernel = kernels.back().get(),
                          .buffers = {},
                          .constants = step.constants,
                          .groups = step.groups});
      for (std::uint32_t index : step.buffers) {
        launches.back().buffers.push_back(buffers[index].get());
      }
    }
    device_->run({}, launches, 2);
    verify(workload, problem, specs, inputs, buffers);
  }

  void verify(const Workload& workload, const Problem& problem,
              const std::vector<BufferSpec>& specs, const std::vector<Bytes>& inputs,
              const std::vector<std::unique_ptr<Buffer>>& buffers) {
    const Reference reference = workload.expected(problem, inputs);
    std::size_t input = 0;
    for (std::uint32_t i = 0; i < specs.size(); ++i) {
      const std::vector<std::byte> bytes = download<std::byte>(*buffers[i]);
      std::vector<std::uint32_t> guard(kGuardBytes / 4);
      std::memcpy(guard.data(), bytes.data() + bytes.size() - kGuardBytes, kGuardBytes);
      EXPECT_EQ(guard, std::vector<std::uint32_t>(kGuardBytes / 4, kPoison)) << specs[i].name;
      if (specs[i].role == Role::in) {
        EXPECT_TRUE(
            std::ranges::equal(std::span(bytes).first(specs[i].size_bytes()), inputs[input++]))
            << "input " << specs[i].name << " was changed";
      }
      if (i != reference.buffer) continue;
      const auto used = std::span(bytes).first(specs[i].count * size_bytes(specs[i].dtype));
      const Verdict verdict = compare(reference, workload.tolerance(problem), specs[i].dtype, used);
      EXPECT_TRUE(verdict.ok) << verdict.detail;
      EXPECT_EQ(verdict.checked, specs[i].count);
    }
  }

  void check_all(const Workload& workload, Dtype dtype, const std::vector<std::uint64_t>& counts) {
    for (const Variant& variant : workload.variants()) {
      const std::string name =
          fmt::format("{}/{}/{}", workload.name(), variant.name, to_string(dtype));
      KernelOrReason found = device_->find_kernel(name, {.x = 256});
      if (const auto* absent = std::get_if<Absent>(&found)) {
        ASSERT_TRUE(may_lack(dtype)) << name << ": " << absent->reason;
        GTEST_SKIP() << name << ": " << absent->reason;
      }
      for (std::uint64_t n : counts) {
        check(workload, {.dtype = dtype, .size = {{"n", n}}}, variant);
      }
    }
  }
};

const Workload& vector_add() { return *all_workloads().front(); }
const std::vector<std::uint64_t> kOddSizes = {1, 7, 499, 1021, 70001};

TEST_P(WorkloadsOn, AddVectorsOfF32) { check_all(vector_add(), Dtype::f32, kOddSizes); }
TEST_P(WorkloadsOn, AddVectorsOfF64) { check_all(vector_add(), Dtype::f64, kOddSizes); }
TEST_P(WorkloadsOn, AddVectorsOfF16) { check_all(vector_add(), Dtype::f16, kOddSizes); }
TEST_P(WorkloadsOn, AddVectorsOfI32) { check_all(vector_add(), Dtype::i32, kOddSizes); }

TEST_P(WorkloadsOn, AddVectorsWithMoreGroupsThanOneRow) {
  check_all(vector_add(), Dtype::f32, {32768 * 256 + 1});
}

INSTANTIATE_TEST_SUITE_P(Contract, WorkloadsOn, ::testing::ValuesIn(all_devices()), test_name);

}  // namespace
}  // namespace parallax
