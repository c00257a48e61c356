// Every workload, variant and dtype at sizes that fit no vector, tile and group, on every device:
// inputs as the suite makes them, every expected element checked, nothing written where nothing
// belongs.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>

#include "harness/case.hpp"
#include "harness/case_name.hpp"
#include "tests/contract/devices.hpp"
#include "workloads/inputs.hpp"

namespace parallax {
namespace {

constexpr std::uint64_t kSeed = 5;

/// Sizes beside those of Preset::quick, by workload.
const std::multimap<std::string, std::string>& edge_sizes() {
  static const std::multimap<std::string, std::string> sizes = {
      {"vector_add", "n=1"},
      {"vector_add", "n=7"},
      {"vector_add", "n=499"},
      {"vector_add", "n=8388609"},  // one group more than fits a row of groups
      {"reduction", "n=1"},
      {"reduction", "n=2"},
      {"reduction", "n=257"},
      {"reduction", "n=1082369"},  // one unit more than 1056 groups hold
      {"reduction", "n=4326403"},  // enters the unrolled loop of vec4
      {"gemm", "m=1,n=300,k=17"},
      {"gemm", "m=300,n=1,k=33"},
      {"gemm", "m=127,n=129,k=131"},
      {"gemm", "m=129,n=130,k=64"},
      {"gemm", "m=65,n=63,k=7"},
      {"convolution", "n=1,c=1,h=1,w=1,k=1,r=1,s=1,stride=1,pad=0,layout=nchw"},
      {"convolution", "n=1,c=1,h=1,w=1,k=1,r=1,s=1,stride=1,pad=0,layout=nhwc"},
      {"convolution", "n=1,c=21,h=19,w=18,k=67,r=1,s=1,stride=2,pad=0,layout=nchw"},
      {"convolution", "n=1,c=5,h=29,w=35,k=13,r=7,s=7,stride=1,pad=3,layout=nchw"},
      {"convolution", "n=2,c=16,h=16,w=16,k=64,r=3,s=3,stride=1,pad=1,layout=nhwc"},
      {"convolution", "n=2,c=5,h=17,w=19,k=9,r=3,s=5,stride=2,pad=1,layout=nchw"},
      {"convolution", "n=2,c=5,h=17,w=19,k=9,r=3,s=5,stride=2,pad=1,layout=nhwc"},
      {"convolution", "n=1,c=9,h=23,w=21,k=65,r=7,s=7,stride=2,pad=3,layout=nchw"},
      {"convolution", "n=1,c=9,h=23,w=21,k=65,r=7,s=7,stride=2,pad=3,layout=nhwc"},
  };
  return sizes;
}

std::vector<Size> sizes_of(const Workload& workload) {
  std::vector<Size> sizes = workload.sizes(Preset::quick);
  const auto [first, last] = edge_sizes().equal_range(std::string(workload.name()));
  for (auto entry = first; entry != last; ++entry) {
    const auto size = workload.complete(std::get<Size>(parse_size(entry->second)));
    EXPECT_TRUE(size && !workload.size_error(*size)) << entry->second;
    if (size) sizes.push_back(*size);
  }
  return sizes;
}

class WorkloadsOn : public OnDevice {
 protected:
  void check(const Workload& workload, const CaseName& name) {
    SCOPED_TRACE(format_case_name(name));
    const Problem problem{.dtype = name.dtype, .size = name.size};
    const std::vector<BufferSpec> specs = workload.buffers(problem);
    const auto expected = [&](Fill fill) {
      return std::make_shared<const Reference>(
          workload.expected(problem, fill, make_inputs(specs, fill, kSeed)));
    };
    PrepareRequest request{.name = name,
                           .seed = kSeed,
                           .expected = expected(Fill::random),
                           .exact = expected(Fill::integers)};
    try {
      Case one_case(*device_, workload, request);
      for (Fill fill : {Fill::integers, Fill::random}) {
        one_case.load(fill);
        one_case.poison_outputs();
        device_->run({}, one_case.launches(), 2);
        const VerifyReply reply = one_case.verify();
        EXPECT_TRUE(reply.outcome.ok()) << reply.outcome.reason;
        EXPECT_GT(reply.verdict.checked, 0u);
      }
      ++ran_;
    } catch (const Case::Unsupported& unsupported) {
      reasons_.insert(unsupported.reason);
    }
  }

  void check_all(const Workload& workload) {
    for (Dtype dtype : workload.dtypes()) {
      for (const Size& size : sizes_of(workload)) {
        for (const Variant& variant : workload.variants()) {
          check(workload, {std::string(workload.name()), dtype, size, variant.name});
        }
      }
    }
    for (const std::string& reason : reasons_) fmt::print("unsupported: {}\n", reason);
    EXPECT_GT(ran_, 0);
  }

  int ran_ = 0;
  std::set<std::string> reasons_;
};

TEST_P(WorkloadsOn, ComputeWhatIsExpected) {
  for (const Workload* workload : all_workloads()) check_all(*workload);
}

INSTANTIATE_TEST_SUITE_P(Contract, WorkloadsOn, ::testing::ValuesIn(all_devices()), test_name);

}  // namespace
}  // namespace parallax
