// The checks notice every fault that is made on purpose, on the host and on each device.
#include "harness/commands/commands.hpp"
#include "harness/gbench.hpp"
#include "tests/contract/devices.hpp"

namespace parallax {
namespace {

class SelfTestOn : public ::testing::TestWithParam<std::string> {};

TEST_P(SelfTestOn, CatchesEveryFault) {
  initialize_gbench();
  const Backends backends(all_backends());
  Filters filters;
  filters.devices = {GetParam()};
  EXPECT_EQ(selftest_command(backends, filters), kExitDone);
}

INSTANTIATE_TEST_SUITE_P(Contract, SelfTestOn, ::testing::ValuesIn(all_devices()), test_name);

}  // namespace
}  // namespace parallax
