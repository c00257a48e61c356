// What `parallax selftest` makes of devices and faults: the verdict, not the checks themselves, which
// tests/contract/selftest_test.cpp runs on real devices.
#include <gmock/gmock.h>

#include "harness/commands/commands.hpp"
#include "harness/gbench.hpp"
#include "tests/unit/fake_machine.hpp"

namespace parallax {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Fault fault(std::string name, std::function<void(std::vector<Step>&)> change) {
  return {"vector_add", std::move(name), "for a test",     Dtype::f32,
          "n=1021",     "naive",         std::move(change)};
}

Fault no_fault() {
  return fault("no_fault", [](std::vector<Step>&) {});
}

Fault one_group_less() {
  return fault("one_group_less", [](std::vector<Step>& steps) { --steps.at(0).groups.x; });
}

Fault broken_kernel(const std::string& name) {
  return fault("broken_kernel", [=](std::vector<Step>& steps) { steps.at(0).kernel = name; });
}

class SelfTestCommand : public FakeMachine {
 protected:
  static void SetUpTestSuite() { initialize_gbench(); }

  SelfTestCommand() { use(""); }

  /// A machine with a host and one more API, whose device has the given faults.
  void use(const std::string& faults) {
    reset();
    add("fakea", R"({"devices": [{"faults": [)" + faults + "]}]}");
    add("host", R"({"devices": [{"type": "cpu"}]})");
  }

  int run(const std::vector<Fault>& faults, const Filters& filters = {}) {
    ::testing::internal::CaptureStdout();
    int code = kExitDone;
    try {
      code = selftest_command(backends(), filters, faults);
    } catch (const CommandError& error) {
      code = error.exit_code();
    }
    text_ = ::testing::internal::GetCapturedStdout();
    return code;
  }

  std::string text_;
};

TEST_F(SelfTestCommand, EndsWellWhenEverythingIsCaught) {
  EXPECT_EQ(run({one_group_less()}), kExitDone);
  EXPECT_THAT(text_, EndsWith("1 faults, 2 of 2 checks caught (100.0 %), 0 unsupported: "
                              "fakea:0 1 of 1, host:0 1 of 1\n"));
  EXPECT_THAT(text_, HasSubstr("one_group_less"));
  EXPECT_THAT(text_, HasSubstr("for a test"));
}

TEST_F(SelfTestCommand, FailsWhenAFaultPasses) {
  EXPECT_EQ(run({one_group_less(), no_fault()}), kExitFailedCases);
  EXPECT_THAT(text_, HasSubstr("no_fault: fakea:0: MISSED"));
  EXPECT_THAT(text_, HasSubstr("no_fault: host:0: MISSED"));
  EXPECT_THAT(text_, HasSubstr("2 faults, 2 of 4 checks caught (50.0 %)"));
}

TEST_F(SelfTestCommand, CatchesWhatIsRightOnTheFirstRunOnly) {
  EXPECT_EQ(run({broken_kernel("selftest/vector_add_second_run/f32")}), kExitDone) << text_;
}

TEST_F(SelfTestCommand, FailsWhenAFaultRanOnTheHostOnly) {
  use(R"({"call": "find_kernel", "kernel": "^selftest/", "absent": "no such kernel here"})");
  EXPECT_EQ(run({broken_kernel("selftest/vector_add_one_ulp/f32")}), kExitFailedCases);
  EXPECT_THAT(text_, HasSubstr("fakea:0: unsupported: no such kernel here"));
  EXPECT_THAT(text_, HasSubstr("must be caught on the host and through another API"));
  EXPECT_THAT(text_, HasSubstr("1 of 1 checks caught (100.0 %), 1 unsupported"));
}

TEST_F(SelfTestCommand, FailsWhenTheCaseIsWrongWithoutTheFault) {
  use(R"({"call": "run", "kernel": "^vector_add", "effect": "flip_bit"})");
  EXPECT_EQ(run({one_group_less()}), kExitFailedCases);
  EXPECT_THAT(text_, HasSubstr("fakea:0: no control: "));
  EXPECT_THAT(text_, HasSubstr("1 of 2 checks caught (50.0 %)"));
}

TEST_F(SelfTestCommand, TakesAFailedCallForNoCatch) {
  use(R"({"call": "run", "kernel": "^selftest/", "throw": "failed"})");
  EXPECT_EQ(run({broken_kernel("selftest/vector_add_one_ulp/f32")}), kExitFailedCases);
  EXPECT_THAT(text_, HasSubstr("fakea:0: failed: "));
}

TEST_F(SelfTestCommand, TakesAnImpossibleTimeForNoCatch) {
  // The first result of this kernel is right, and its second is never looked at.
  use(R"({"call": "run", "kernel": "^selftest/", "bracketed": true, "scale_device": 1000})");
  EXPECT_EQ(run({broken_kernel("selftest/vector_add_second_run/f32")}), kExitFailedCases);
  EXPECT_THAT(text_, HasSubstr("fakea:0: failed: "));
}

TEST_F(SelfTestCommand, SaysWhatADeviceCannotRun) {
  use(R"({"call": "find_kernel", "kernel": "^vector_add", "absent": "no addition"})");
  EXPECT_EQ(run({one_group_less()}), kExitFailedCases);
  EXPECT_THAT(text_, HasSubstr("fakea:0: unsupported: no addition"));
}

TEST_F(SelfTestCommand, AsksNoOtherApiOfAMachineThatHasNone) {
  reset();
  add("host", R"({"devices": [{"type": "cpu"}]})");
  EXPECT_EQ(run({one_group_less()}), kExitDone);
  EXPECT_THAT(text_, HasSubstr("1 of 1 checks caught"));
}

TEST_F(SelfTestCommand, AddsTheHostToWhateverIsChosen) {
  Filters filters;
  filters.apis = {"fakea"};
  EXPECT_EQ(run({one_group_less()}, filters), kExitDone);
  EXPECT_THAT(text_, HasSubstr("host:0 1 of 1"));
  filters.apis = {"host"};
  EXPECT_EQ(run({one_group_less()}, filters), kExitDone);
  EXPECT_THAT(text_, Not(HasSubstr("fakea:0")));
}

TEST_F(SelfTestCommand, FiltersByWorkloadAndByName) {
  const std::vector<Fault> faults = {one_group_less(), no_fault()};
  Filters filters;
  filters.workloads = {"vector_add"};
  filters.regex = "/one_group";
  EXPECT_EQ(run(faults, filters), kExitDone);
  EXPECT_THAT(text_, Not(HasSubstr("no_fault")));
  filters.regex = "nothing_of_this_name";
  EXPECT_EQ(run(faults, filters), kExitUsage);
  filters.regex = "([";
  EXPECT_EQ(run(faults, filters), kExitUsage);
  filters.regex.clear();
  filters.workloads = {"gem"};
  EXPECT_EQ(run(faults, filters), kExitUsage);
  EXPECT_EQ(text_, "");
}

TEST_F(SelfTestCommand, NeedsADevice) {
  reset();
  add_absent("fakea", "left out");
  EXPECT_EQ(run({one_group_less()}), kExitNoDevice);
}

TEST_F(SelfTestCommand, CatchesEveryFaultOfTheListWithTheHostsKernels) {
  EXPECT_EQ(run(all_faults()), kExitDone) << text_;
}

}  // namespace
}  // namespace parallax
