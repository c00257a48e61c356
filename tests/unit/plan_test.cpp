#include "harness/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/case.hpp"
#include "tests/unit/fake_machine.hpp"

namespace parallax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kCard = R"("uuid": "aaaaaaaa-0000-0000-0000-000000000001",
                                 "pci": "0000:01:00.0", "name": "Alpha Card")";

/// Runs a call that must fail and gives back its message; the exit code is checked.
template <typename Body>
std::string message_of(int exit_code, Body body) {
  try {
    body();
  } catch (const CommandError& error) {
    EXPECT_EQ(error.exit_code(), exit_code) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

struct Chosen {
  std::vector<std::string> devices, notes;
};
Chosen choose(const Backends& backends, const Filters& filters) {
  Chosen chosen;
  chosen.devices = choose_devices(backends, filters, chosen.notes);
  return chosen;
}

// --- devices -----------------------------------------------------------------------------------

class ChooseDevices : public FakeMachine {
 protected:
  /// Two cards, the second known to two APIs only, and two CPU devices.
  ChooseDevices() {
    add("alpha", std::string(R"({"devices": [{)") + kCard + R"(},
        {"pci": "0000:02:00.0", "name": "Beta Card", "type": "integrated_gpu"}]})");
    add("beta", std::string(R"({"devices": [{)") + kCard + R"(},
        {"pci": "0000:02:00.0", "name": "Beta Card", "type": "integrated_gpu"},
        {"type": "cpu", "name": "Processor"}]})");
    add("gamma", R"({"reason": "no library libgamma.so.1"})");
    add_absent("delta", "not built: no compiler");
    add("host", R"({"devices": [{"type": "cpu", "name": "Processor"}]})");
  }
};

TEST_F(ChooseDevices, TakesEveryApiOfTheBestDiscreteGpu) {
  const Chosen chosen = choose(backends(), {});
  EXPECT_THAT(chosen.devices, ElementsAre("alpha:0", "beta:0"));
}

TEST_F(ChooseDevices, TakesTheIntegratedGpuWhenThereIsNoDiscreteOne) {
  FakeMachine::reset();
  add("beta",
      R"({"devices": [{"type": "cpu"}, {"type": "integrated_gpu", "pci": "0000:02:00.0"}]})");
  add("host", R"({"devices": [{"type": "cpu"}]})");
  EXPECT_THAT(choose(backends(), {}).devices, ElementsAre("beta:1"));
}

TEST_F(ChooseDevices, TakesTheCpuOnlyOnAMachineWithoutAGpu) {
  FakeMachine::reset();
  add("beta", R"({"devices": [{"type": "cpu"}]})");
  add("host", R"({"devices": [{"type": "cpu"}]})");
  EXPECT_THAT(choose(backends(), {}).devices, ElementsAre("beta:0", "host:0"));
}

TEST_F(ChooseDevices, FiltersByApi) {
  Filters filters;
  filters.apis = {"beta"};
  EXPECT_THAT(choose(backends(), filters).devices, ElementsAre("beta:0"));
  filters.apis = {"host"};
  EXPECT_THAT(choose(backends(), filters).devices, ElementsAre("host:0"));
  filters.apis = {"beta", "host"};
  EXPECT_THAT(choose(backends(), filters).devices, ElementsAre("beta:0", "host:0"));
}

TEST_F(ChooseDevices, TakesSelectorsOfEveryKind) {
  const auto by = [&](std::vector<std::string> selectors) {
    Filters filters;
    filters.devices = std::move(selectors);
    return choose(backends(), filters).devices;
  };
  EXPECT_THAT(by({"beta:1"}), ElementsAre("beta:1"));
  EXPECT_THAT(by({"uuid:aaaaaaaa-0000-0000-0000-000000000001"}), ElementsAre("alpha:0", "beta:0"));
  EXPECT_THAT(by({"UUID:AAAAAAAA-0000-0000-0000-000000000001"}), ElementsAre("alpha:0", "beta:0"));
  EXPECT_THAT(by({"pci:0000:02:00.0"}), ElementsAre("alpha:1", "beta:1"));
  EXPECT_THAT(by({"pci:0000:01:00.0"}), ElementsAre("alpha:0", "beta:0"));
  EXPECT_THAT(by({"beta:1", "alpha:1"}), ElementsAre("alpha:1", "beta:1"));
  EXPECT_THAT(by({"beta:1", "beta:1"}), ElementsAre("beta:1"));
}

TEST_F(ChooseDevices, TakesTheCpuBySelector) {
  FakeMachine::reset();
  add("alpha", std::string(R"({"devices": [{)") + kCard + "}]}");
  add("beta", R"({"devices": [{"type": "cpu"}]})");
  add("host", R"({"devices": [{"type": "cpu"}]})");
  Filters filters;
  filters.devices = {"cpu"};
  EXPECT_THAT(choose(backends(), filters).devices, ElementsAre("beta:0", "host:0"));
}

TEST_F(ChooseDevices, CrossesSelectorsWithApis) {
  Filters filters;
  filters.devices = {"pci:0000:02:00.0"};
  filters.apis = {"beta"};
  EXPECT_THAT(choose(backends(), filters).devices, ElementsAre("beta:1"));
}

TEST_F(ChooseDevices, RefusesAnUnknownApiWithTheNearest) {
  Filters filters;
  filters.apis = {"alphq"};
  const auto message = message_of(kExitUsage, [&] { choose(backends(), filters); });
  EXPECT_THAT(message, HasSubstr("alphq"));
  EXPECT_THAT(message, HasSubstr("alpha"));
}

TEST_F(ChooseDevices, RefusesSelectorsThatMatchNothingAndListsTheValidOnes) {
  for (const char* selector : {"alpha:99", "alpha:-1", "alpha:", "uuid:00000000",
                               "pci:0000:77:00.0", "nonsense", "99", "-1", ""}) {
    Filters filters;
    filters.devices = {selector};
    const auto message = message_of(kExitUsage, [&] { choose(backends(), filters); });
    EXPECT_THAT(message, HasSubstr("alpha:0")) << selector;
  }
}

TEST_F(ChooseDevices, SaysWhyAnApiHasNoSuchDevice) {
  Filters filters;
  filters.devices = {"gamma:0"};
  EXPECT_THAT(message_of(kExitUsage, [&] { choose(backends(), filters); }),
              HasSubstr("no library libgamma.so.1"));
}

TEST_F(ChooseDevices, ListsTheMatchesOfAnAmbiguousIndex) {  // D06
  Filters filters;
  filters.devices = {"0"};
  const auto message = message_of(kExitUsage, [&] { choose(backends(), filters); });
  EXPECT_THAT(message, HasSubstr("alpha:0"));
  EXPECT_THAT(message, HasSubstr("beta:0"));
  EXPECT_THAT(message, HasSubstr("host:0"));
}

TEST_F(ChooseDevices, GivesTheReasonOfEveryAbsentApi) {
  Filters filters;
  filters.apis = {"gamma"};
  EXPECT_THAT(message_of(kExitNoDevice, [&] { choose(backends(), filters); }),
              HasSubstr("no library libgamma.so.1"));
  filters.apis = {"gamma", "delta"};
  const auto both = message_of(kExitNoDevice, [&] { choose(backends(), filters); });
  EXPECT_THAT(both, HasSubstr("no library libgamma.so.1"));
  EXPECT_THAT(both, HasSubstr("not built: no compiler"));
}

TEST_F(ChooseDevices, RunsAnAliasOnceAndSaysSo) {  // D01
  FakeMachine::reset();
  add("alpha", R"({"devices": [{"pci": "0000:01:00.0"}, {"pci": "0000:01:00.0"}]})");
  const Chosen chosen = choose(backends(), {});
  EXPECT_THAT(chosen.devices, ElementsAre("alpha:0"));
  ASSERT_EQ(chosen.notes.size(), 1u);
  EXPECT_THAT(chosen.notes.front(), HasSubstr("alpha:1"));
  EXPECT_THAT(chosen.notes.front(), HasSubstr("alpha:0"));
}

TEST_F(ChooseDevices, RunsAnAliasThatIsNamed) {  // D15
  FakeMachine::reset();
  add("alpha", R"({"devices": [{"pci": "0000:01:00.0"}, {"pci": "0000:01:00.0"}]})");
  Filters filters;
  filters.devices = {"alpha:1"};
  EXPECT_THAT(choose(backends(), filters).devices, ElementsAre("alpha:1"));
  filters.devices = {"pci:0000:01:00.0"};
  EXPECT_THAT(choose(backends(), filters).devices, ElementsAre("alpha:0"));
}

// --- cases -------------------------------------------------------------------------------------

class MakePlan : public FakeMachine {
 protected:
  MakePlan() {
    add("alpha", std::string(R"({"devices": [{)") + kCard + "}]}");
    add("beta", std::string(R"({"devices": [{)") + kCard + "}]}");
  }

  std::vector<PlannedCase> plan(const Filters& filters, Preset preset = Preset::quick) {
    return make_plan(all_workloads(), backends().inventory(), {"alpha:0", "beta:0"}, filters,
                     preset);
  }
  std::vector<std::string> names(const Filters& filters, Preset preset = Preset::quick) {
    std::vector<std::string> names;
    for (const PlannedCase& planned : plan(filters, preset)) {
      names.push_back(format_case_name(planned.name));
    }
    return names;
  }
};

TEST_F(MakePlan, CrossesCasesWithDevices) {
  Filters filters;
  filters.workloads = {"vector_add"};
  filters.dtypes = {"f32", "i32"};
  filters.sizes = {"n=7", "n=2^10"};
  const auto cases = plan(filters);
  EXPECT_THAT(names(filters),
              ElementsAre("vector_add/f32/n=7/naive", "vector_add/f32/n=7/vec4",
                          "vector_add/f32/n=1024/naive", "vector_add/f32/n=1024/vec4",
                          "vector_add/i32/n=7/naive", "vector_add/i32/n=7/vec4",
                          "vector_add/i32/n=1024/naive", "vector_add/i32/n=1024/vec4"));
  for (const PlannedCase& planned : cases) {
    ASSERT_EQ(planned.devices.size(), 2u);
    EXPECT_EQ(planned.devices[0].device, "alpha:0");
    EXPECT_EQ(planned.devices[1].device, "beta:0");
    EXPECT_EQ(planned.tier, Tier::matched);
    EXPECT_EQ(planned.gpu, "uuid:aaaaaaaa-0000-0000-0000-000000000001");
    EXPECT_EQ(planned.workload->name(), "vector_add");
    EXPECT_TRUE(planned.devices[0].outcome.ok());
  }
}

TEST_F(MakePlan, TakesThePresetsSizesWhenNoneAreGiven) {
  Filters filters;
  filters.dtypes = {"f32"};
  filters.variants = {"naive"};
  std::vector<std::string> expected;
  for (const Size& size : all_workloads().front()->sizes(Preset::full)) {
    expected.push_back("vector_add/f32/" + format_size(size) + "/naive");
  }
  filters.workloads = {"vector_add"};
  EXPECT_EQ(names(filters, Preset::full), expected);
}

TEST_F(MakePlan, FiltersByVariantTierAndRegex) {
  Filters filters;
  filters.workloads = {"vector_add"};
  filters.dtypes = {"f64"};
  filters.sizes = {"n=7"};
  filters.variants = {"vec4"};
  EXPECT_THAT(names(filters), ElementsAre("vector_add/f64/n=7/vec4"));
  filters.variants = {};
  filters.tiers = {"matched"};
  EXPECT_EQ(names(filters).size(), 2u);
  filters.regex = "naive$";
  EXPECT_THAT(names(filters), ElementsAre("vector_add/f64/n=7/naive"));
  filters.regex = "^f64";
  message_of(kExitUsage, [&] { plan(filters); });
}

TEST_F(MakePlan, RefusesUnknownNamesWithTheNearest) {
  const auto refused = [&](auto member, const std::string& word, const std::string& near) {
    Filters filters;
    filters.*member = {word};
    const auto message = message_of(kExitUsage, [&] { plan(filters); });
    EXPECT_THAT(message, HasSubstr(word));
    EXPECT_THAT(message, HasSubstr(near));
  };
  refused(&Filters::workloads, "vector_ad", "vector_add");
  refused(&Filters::dtypes, "f23", "f32");
  refused(&Filters::dtypes, "float", "f32");
  refused(&Filters::variants, "vec_4", "vec4");
  refused(&Filters::tiers, "matchd", "matched");
}

TEST_F(MakePlan, RefusesBadSizes) {  // S08 among them
  for (const char* size :
       {"n=0", "n=-1", "n", "=5", "n=", "n=five", "n=1e6", "m=5", "n=5,m=2", "n=4286578689",
        "n=2^32-8388607", "n=2^64", "n=99999999999999999999999", "", "n=7,n=7", " n=7"}) {
    Filters filters;
    filters.workloads = {"vector_add"};
    filters.sizes = {size};
    const auto message = message_of(kExitUsage, [&] { plan(filters); });
    EXPECT_FALSE(message.empty()) << size;
  }
}

TEST_F(MakePlan, RefusesABadSizeBesideAGoodOne) {
  Filters filters;
  filters.workloads = {"vector_add"};
  filters.sizes = {"n=7", "m=5"};
  EXPECT_THAT(message_of(kExitUsage, [&] { plan(filters); }), HasSubstr("m=5"));
}

TEST_F(MakePlan, RefusesABadRegex) {
  Filters filters;
  filters.regex = "([";
  EXPECT_THAT(message_of(kExitUsage, [&] { plan(filters); }), HasSubstr("(["));
}

TEST_F(MakePlan, RefusesFiltersThatMatchNothing) {
  Filters filters;
  filters.regex = "zzz";
  message_of(kExitUsage, [&] { plan(filters); });
  filters.regex.clear();
  filters.tiers = {"vendor"};
  filters.workloads = {"vector_add"};
  message_of(kExitUsage, [&] { plan(filters); });
}

// --- limits ------------------------------------------------------------------------------------

const Workload& vector_add() { return *all_workloads().front(); }

DeviceInfo roomy() {
  DeviceInfo info;
  info.limits = {.memory_bytes = 1u << 30,
                 .max_buffer_bytes = 1u << 30,
                 .max_binding_bytes = 1u << 30,
                 .max_group_lanes = 1024,
                 .max_group_size = {1024, 1024, 64},
                 .max_group_count = {65535, 65535, 65535},
                 .shared_bytes = 1u << 15};
  return info;
}

Problem of(std::uint64_t n) { return {.dtype = Dtype::f32, .size = {{"n", n}}}; }

/// Bytes of one buffer of f32 with its guard, as the case allocates it.
std::uint64_t bytes_of(std::uint64_t n) { return allocated_bytes(vector_add().buffers(of(n))[0]); }

void expect_both(const std::optional<std::string>& reason, std::uint64_t request,
                 std::uint64_t limit) {
  ASSERT_TRUE(reason.has_value());
  EXPECT_THAT(*reason, HasSubstr(std::to_string(request)));
  EXPECT_THAT(*reason, HasSubstr(std::to_string(limit)));
  EXPECT_EQ(reason->find('\n'), std::string::npos);
}

TEST(OverLimits, AllowsWhatFits) {
  EXPECT_EQ(over_limits(roomy(), vector_add(), of(1 << 20), "naive"), std::nullopt);
}

TEST(OverLimits, TakesZeroAsNoLimit) {
  EXPECT_EQ(over_limits(DeviceInfo{}, vector_add(), of(1u << 31), "naive"), std::nullopt);
}

TEST(OverLimits, NamesBufferWithBothNumbers) {  // S01
  DeviceInfo info = roomy();
  info.limits.max_buffer_bytes = 1 << 20;
  const auto reason = over_limits(info, vector_add(), of(1 << 20), "naive");
  expect_both(reason, bytes_of(1 << 20), 1 << 20);
}

TEST(OverLimits, NamesBindingWithBothNumbers) {  // S02
  DeviceInfo info = roomy();
  info.limits.max_binding_bytes = 1 << 20;
  const auto reason = over_limits(info, vector_add(), of(1 << 20), "naive");
  expect_both(reason, bytes_of(1 << 20), 1 << 20);
}

TEST(OverLimits, NamesMemoryOfAllBuffersWithBothNumbers) {  // S02: the heap can be smaller
  DeviceInfo info = roomy();
  info.limits.memory_bytes = 10 << 20;
  const auto reason = over_limits(info, vector_add(), of(1 << 20), "naive");
  expect_both(reason, 3 * bytes_of(1 << 20), 10 << 20);
}

TEST(OverLimits, NamesGroupCountWithBothNumbers) {
  DeviceInfo info = roomy();
  info.limits.max_group_count = {1000, 1000, 1000};
  const auto reason = over_limits(info, vector_add(), of(1 << 20), "naive");
  expect_both(reason, 4096, 1000);
}

TEST(OverLimits, NamesGroupSizeWithBothNumbers) {  // S06
  DeviceInfo info = roomy();
  info.limits.max_group_lanes = 128;
  const auto reason = over_limits(info, vector_add(), of(1 << 20), "naive");
  if (reason) expect_both(reason, 256, 128);  // or find_kernel says it, when the device is open
}

TEST(OverLimits, TellsLimitsApart) {
  const auto reason_for = [](auto change) {
    DeviceInfo info = roomy();
    change(info.limits);
    return over_limits(info, vector_add(), of(1 << 20), "naive").value_or("");
  };
  const std::vector<std::string> reasons = {
      reason_for([](Limits& l) { l.max_buffer_bytes = 1 << 21; }),
      reason_for([](Limits& l) { l.max_binding_bytes = 1 << 21; }),
      reason_for([](Limits& l) { l.memory_bytes = 1 << 21; }), reason_for([](Limits& l) {
        l.max_group_count = {64, 64, 64};
      })};
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    EXPECT_FALSE(reasons[i].empty()) << i;
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(reasons[i], reasons[j]);
  }
}

TEST(OverLimits, StopsAtTheFirstByteOverAndCountsTheGuardOnce) {
  const std::uint64_t one = bytes_of(1 << 20);
  const std::vector<std::pair<std::uint64_t Limits::*, std::uint64_t>> fits = {
      {&Limits::max_buffer_bytes, one},
      {&Limits::max_binding_bytes, one},
      {&Limits::memory_bytes, 3 * one}};
  for (const auto& [limit, bytes] : fits) {
    DeviceInfo info = roomy();
    info.limits.*limit = bytes;
    EXPECT_EQ(over_limits(info, vector_add(), of(1 << 20), "naive"), std::nullopt);
    info.limits.*limit = bytes - 1;
    EXPECT_TRUE(over_limits(info, vector_add(), of(1 << 20), "naive").has_value()) << bytes;
  }
}

TEST_F(MakePlan, DecidesLimitsPerDevice) {
  FakeMachine::reset();
  add("alpha", std::string(R"({"devices": [{)") + kCard + R"(,
      "limits": {"max_buffer_bytes": 1048576}}]})");
  add("beta", std::string(R"({"devices": [{)") + kCard + "}]}");
  Filters filters;
  filters.workloads = {"vector_add"};
  filters.dtypes = {"f32"};
  filters.variants = {"naive"};
  filters.sizes = {"n=2^20"};
  const auto cases = plan(filters);
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].devices[0].outcome.status, Status::unsupported);
  EXPECT_THAT(cases[0].devices[0].outcome.reason, HasSubstr("1048576"));
  EXPECT_EQ(cases[0].devices[1].outcome.status, Status::ok);
}

// --- words -------------------------------------------------------------------------------------

TEST(Nearest, SuggestsOnlyWhatIsNear) {
  const std::vector<std::string> names = {"cuda", "opencl", "vulkan", "host"};
  EXPECT_EQ(nearest("openlc", names), "opencl");
  EXPECT_EQ(nearest("vulcan", names), "vulkan");
  EXPECT_EQ(nearest("cud", names), "cuda");
  EXPECT_EQ(nearest("zzzzzzzz", names), "");
  EXPECT_EQ(nearest("x", {}), "");
}

}  // namespace
}  // namespace parallax
