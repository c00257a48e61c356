// Field case C11: a rate is no better than the count behind it. What every workload says that its
// cases cost, by hand and by rule.
#include <gtest/gtest.h>

#include <cstring>

#include "harness/case_name.hpp"
#include "workloads/workload.hpp"

namespace parallax {
namespace {

Cost cost_of(std::string_view case_name) {
  const auto name = std::get<CaseName>(parse_case_name(case_name));
  for (const Workload* workload : all_workloads()) {
    if (workload->name() != name.workload) continue;
    return workload->cost({.dtype = name.dtype, .size = workload->complete(name.size).value()});
  }
  throw std::logic_error("no workload " + name.workload);
}

struct Formula {
  std::string case_name;
  std::uint64_t flops, bytes_read, bytes_written;
};

TEST(Cost, C11_IsThatOfTheFormulaByHand) {
  const std::vector<Formula> formulas = {
      // n additions of two vectors.
      {"vector_add/f32/n=1000/naive", 1000, 8000, 4000},
      {"vector_add/f64/n=1000/vec4", 1000, 16'000, 8000},
      {"vector_add/f16/n=1000/naive", 1000, 4000, 2000},
      {"vector_add/i32/n=1000/naive", 0, 8000, 4000},
      // n - 1 additions of n elements to one.
      {"reduction/f32/n=1000/tree", 999, 4000, 4},
      {"reduction/f64/n=1000/vec4", 999, 8000, 8},
      {"reduction/i32/n=1000/subgroup", 0, 4000, 4},
      // 2 m n k; A is 30 x 50, B 50 x 40, C 30 x 40, in 32 bits for the narrow types.
      {"gemm/f32/m=30,n=40,k=50/naive", 120'000, 4 * (1500 + 2000), 4 * 1200},
      {"gemm/f64/m=30,n=40,k=50/vec4", 120'000, 8 * (1500 + 2000), 8 * 1200},
      {"gemm/f16/m=30,n=40,k=50/vec4", 120'000, 2 * (1500 + 2000), 4 * 1200},
      {"gemm/i8/m=30,n=40,k=50/vec4", 120'000, 1500 + 2000, 4 * 1200},
      // 2 n k p q c r s, products with the zeros around the image among them: 10 x 8 outputs of
      // 3 x 3 x 3 products in 5 channels and 2 images.
      {"convolution/f32/n=2,c=3,h=10,w=8,k=5,r=3,s=3,stride=1,pad=1,layout=nchw/direct",
       2ull * 2 * 5 * 80 * 27, 4 * (2 * 3 * 80 + 5 * 27), 4 * 2 * 5 * 80},
      {"convolution/f16/n=2,c=3,h=10,w=8,k=5,r=3,s=3,stride=1,pad=1,layout=nhwc/direct",
       2ull * 2 * 5 * 80 * 27, 2 * (2 * 3 * 80 + 5 * 27), 4 * 2 * 5 * 80},
      // The same in steps of two without padding: 4 x 3 outputs.
      {"convolution/f32/n=2,c=3,h=10,w=8,k=5,r=3,s=3,stride=2,pad=0,layout=nchw/implicit_gemm",
       2ull * 2 * 5 * 12 * 27, 4 * (2 * 3 * 80 + 5 * 27), 4 * 2 * 5 * 12},
  };
  for (const Formula& formula : formulas) {
    const Cost cost = cost_of(formula.case_name);
    EXPECT_EQ(cost.flops, formula.flops) << formula.case_name;
    EXPECT_EQ(cost.bytes_read, formula.bytes_read) << formula.case_name;
    EXPECT_EQ(cost.bytes_written, formula.bytes_written) << formula.case_name;
  }
}

/// Calls check(workload, problem) for every size of every preset.
void for_every_problem(auto check) {
  for (const Workload* workload : all_workloads()) {
    for (Preset preset : {Preset::quick, Preset::ci, Preset::standard, Preset::full}) {
      for (const Size& size : workload->sizes(preset)) {
        for (Dtype dtype : workload->dtypes()) {
          SCOPED_TRACE(std::string(workload->name()) + " " + format_size(size));
          check(*workload, Problem{.dtype = dtype, .size = size});
        }
      }
    }
  }
}

TEST(Cost, C11_MovesEveryElementOnceWithoutPaddingOrScratch) {
  for_every_problem([](const Workload& workload, const Problem& problem) {
    std::uint64_t read = 0, written = 0;
    for (const BufferSpec& spec : workload.buffers(problem)) {
      if (spec.role == Role::in) read += spec.count() * size_bytes(spec.dtype);
      if (spec.role == Role::out) written += spec.count() * size_bytes(spec.dtype);
    }
    EXPECT_EQ(workload.cost(problem).bytes_read, read);
    EXPECT_EQ(workload.cost(problem).bytes_written, written);
  });
}

TEST(Cost, C11_SaysItsFormulaInOneLine) {
  for_every_problem([](const Workload& workload, const Problem& problem) {
    const std::string source = workload.cost(problem).source;
    EXPECT_GT(source.size(), 10u);
    EXPECT_EQ(source.find('\n'), std::string::npos);
  });
}

TEST(Cost, C11_DoesNotDependOnTheTypeBeyondItsWidth) {
  for_every_problem([](const Workload& workload, const Problem& problem) {
    const std::uint64_t flops = workload.cost(problem).flops;
    if (flops == 0) return;
    EXPECT_EQ(flops, workload.cost({.dtype = Dtype::f32, .size = problem.size}).flops);
  });
}

}  // namespace
}  // namespace parallax
