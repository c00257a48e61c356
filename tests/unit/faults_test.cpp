#include "workloads/faults.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "backends/device_code.hpp"
#include "backends/device_code_table.hpp"
#include "harness/case_name.hpp"

namespace parallax {
namespace {

constexpr std::string_view kMutants = "selftest/";

const Workload& workload_of(const Fault& fault) {
  const auto& all = all_workloads();
  return **std::ranges::find(all, fault.workload, &Workload::name);
}

Problem problem_of(const Fault& fault) {
  const Size size = std::get<Size>(parse_size(fault.size));
  return {.dtype = fault.dtype, .size = workload_of(fault).complete(size).value()};
}

bool equal(const Step& a, const Step& b) {
  return a.kernel == b.kernel && a.group_size == b.group_size && a.groups == b.groups &&
         a.buffers == b.buffers && a.constants == b.constants;
}

TEST(Faults, AreManyForTheFirstWorkloads) {
  std::map<std::string, int> counts;
  for (const Fault& fault : all_faults()) ++counts[fault.workload];
  EXPECT_GE(all_faults().size(), 40u);
  for (const char* workload : {"vector_add", "reduction", "gemm", "convolution"}) {
    EXPECT_GE(counts[workload], 8) << workload;
  }
}

TEST(Faults, HaveNamesOfTheirOwnAndSayWhatGoesWrong) {
  std::set<std::string> names;
  for (const Fault& fault : all_faults()) {
    const std::string name = fault.workload + "/" + fault.name;
    EXPECT_TRUE(names.insert(name).second) << name;
    for (const Variant& variant : workload_of(fault).variants())
      EXPECT_NE(variant.name, fault.name);
    EXPECT_FALSE(fault.about.empty()) << name;
    EXPECT_EQ(fault.about.find('\n'), std::string::npos) << name;
  }
}

TEST(Faults, AreOfCasesThatExist) {
  for (const Fault& fault : all_faults()) {
    SCOPED_TRACE(fault.workload + "/" + fault.name);
    const Workload& workload = workload_of(fault);
    const Problem problem = problem_of(fault);
    EXPECT_FALSE(workload.size_error(problem.size));
    EXPECT_THAT(workload.dtypes(), ::testing::Contains(fault.dtype));
    EXPECT_EQ(std::ranges::count(workload.variants(), fault.variant, &Variant::name), 1);
    const CaseName name{fault.workload, fault.dtype, problem.size, fault.name};
    EXPECT_EQ(std::get<CaseName>(parse_case_name(format_case_name(name))).variant, fault.name);
  }
}

TEST(Faults, ChangeTheLaunches) {
  for (const Fault& fault : all_faults()) {
    const FaultyWorkload faulty(workload_of(fault), all_faults());
    const Problem problem = problem_of(fault);
    const std::vector<Step> wrong = faulty.steps(problem, fault.name);
    EXPECT_FALSE(std::ranges::equal(wrong, faulty.steps(problem, fault.variant), equal))
        << fault.workload << "/" << fault.name;
    for (const Step& step : wrong) {
      EXPECT_NE(find_host_kernel(step.kernel), nullptr) << step.kernel;
      EXPECT_GT(step.groups.count(), 0u) << fault.name;
    }
  }
}

TEST(Faults, UseEveryBrokenKernel) {
  std::set<std::string> used;
  for (const Fault& fault : all_faults()) {
    const FaultyWorkload faulty(workload_of(fault), all_faults());
    for (const Step& step : faulty.steps(problem_of(fault), fault.name)) used.insert(step.kernel);
  }
  const std::set<std::string_view> others = {"selftest/arguments/u32", "selftest/shift/u32"};
  int mutants = 0;
  for (const EmbeddedHostKernel& kernel : embedded_host_kernels()) {
    if (!kernel.name.starts_with(kMutants) || others.contains(kernel.name)) continue;
    ++mutants;
    EXPECT_TRUE(used.contains(std::string(kernel.name))) << kernel.name;
    for (CodeForm form : {CodeForm::opencl_c, CodeForm::spirv}) {
      EXPECT_FALSE(lacks_device_code(form, kernel.name)) << kernel.name;
    }
  }
  EXPECT_GE(mutants, 18);
}

TEST(FaultyWorkload, IsTheRealOneButForItsFaults) {
  const Workload& real = *all_workloads().front();
  const std::vector<Fault> faults = {{std::string(real.name()), "none_at_all", "runs nothing",
                                      Dtype::f32, "n=7", "naive",
                                      [](std::vector<Step>& steps) { steps.clear(); }}};
  const FaultyWorkload faulty(real, faults);
  const Problem problem{.dtype = Dtype::f32, .size = {{"n", 7}}};
  EXPECT_EQ(faulty.name(), real.name());
  EXPECT_EQ(faulty.dims(), real.dims());
  EXPECT_EQ(faulty.tolerance(problem).metric, real.tolerance(problem).metric);
  EXPECT_EQ(faulty.buffers(problem).size(), real.buffers(problem).size());
  EXPECT_TRUE(
      std::ranges::equal(faulty.steps(problem, "naive"), real.steps(problem, "naive"), equal));
  EXPECT_TRUE(faulty.steps(problem, "none_at_all").empty());
}

TEST(FaultyWorkload, HasNoFaultsOfOtherWorkloads) {
  const Workload& real = *all_workloads().front();
  const std::vector<Fault> faults = {{"another", "naive", "", Dtype::f32, "n=7", "naive",
                                      [](std::vector<Step>& steps) { steps.clear(); }}};
  const Problem problem{.dtype = Dtype::f32, .size = {{"n", 7}}};
  EXPECT_EQ(FaultyWorkload(real, faults).steps(problem, "naive").size(), 1u);
}

}  // namespace
}  // namespace parallax
