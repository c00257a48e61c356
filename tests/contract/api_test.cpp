// What every backend promises before a device is opened. An API without a device is skipped with
// its reason, or fails when PARALLAX_REQUIRE (a comma list) names it.
#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "tests/contract/devices.hpp"

namespace parallax {
namespace {

std::vector<std::string> required_apis() {
  const char* text = std::getenv("PARALLAX_REQUIRE");
  std::istringstream list(text != nullptr ? text : "");
  std::vector<std::string> apis;
  for (std::string api; std::getline(list, api, ',');) apis.push_back(api);
  return apis;
}

bool one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == std::string::npos;
}

TEST(Require, NamesOnlyApisThatTheSourcesKnow) {
  for (const std::string& api : required_apis()) {
    EXPECT_EQ(std::ranges::count(all_apis(), api), 1) << "PARALLAX_REQUIRE names " << api;
  }
}

TEST(Registry, NamesEveryApiOnceAndGivesReasons) {
  const std::vector<std::string> apis = all_apis();
  EXPECT_EQ(std::set<std::string>(apis.begin(), apis.end()).size(), apis.size());
  for (const char* api : {"cuda", "opencl", "vulkan", "host"}) {
    EXPECT_EQ(std::ranges::count(apis, api), 1) << api;
  }
  for (const BackendEntry& entry : all_backends()) {
    if (entry.make == nullptr) {
      EXPECT_TRUE(one_line(entry.reason)) << entry.name << ": " << entry.reason;
    } else {
      EXPECT_EQ(entry.make()->name(), entry.name);
    }
  }
}

class OfApi : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static bool required() {
    return std::ranges::count(required_apis(), GetParam()) > 0;
  }
};

TEST_P(OfApi, HasADeviceOrSaysWhyNot) {
  std::string reason;
  if (Backend* backend = backend_of(GetParam())) {
    const DeviceList list = backend->list();
    if (!list.devices.empty()) {
      EXPECT_TRUE(list.reason.empty()) << list.reason;
      return;
    }
    reason = list.reason;
    for (const std::string& note : list.notes) EXPECT_TRUE(one_line(note)) << note;
  } else {
    const auto entry = std::ranges::find(all_backends(), GetParam(), &BackendEntry::name);
    reason = entry->reason;
  }
  EXPECT_TRUE(one_line(reason)) << reason;
  ASSERT_FALSE(required()) << GetParam() << " is required, but: " << reason;
  GTEST_SKIP() << GetParam() << ": " << reason;
}

TEST_P(OfApi, ListsTheSameDevicesTwice) {
  Backend* backend = backend_of(GetParam());
  if (backend == nullptr) GTEST_SKIP() << GetParam() << " is not built";
  const DeviceList first = backend->list();
  const DeviceList second = backend->list();
  ASSERT_EQ(first.devices.size(), second.devices.size());
  for (std::size_t i = 0; i < first.devices.size(); ++i) {
    const DeviceInfo& a = first.devices[i];
    const DeviceInfo& b = second.devices[i];
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.uuid, b.uuid);
    EXPECT_EQ(a.pci, b.pci);
    EXPECT_EQ(a.limits.max_buffer_bytes, b.limits.max_buffer_bytes);
  }
  EXPECT_EQ(first.reason, second.reason);
  EXPECT_EQ(first.notes, second.notes);
}

TEST_P(OfApi, ListsTheSameDevicesFromANewBackend) {
  if (backend_of(GetParam()) == nullptr) GTEST_SKIP() << GetParam() << " is not built";
  const auto entry = std::ranges::find(all_backends(), GetParam(), &BackendEntry::name);
  const DeviceList first = backend_of(GetParam())->list();
  const DeviceList second = entry->make()->list();
  ASSERT_EQ(first.devices.size(), second.devices.size());
  for (std::size_t i = 0; i < first.devices.size(); ++i) {
    EXPECT_EQ(first.devices[i].id, second.devices[i].id);
  }
}

TEST_P(OfApi, DescribesDevicesInTheSpellingOfTheHeader) {
  Backend* backend = backend_of(GetParam());
  if (backend == nullptr) GTEST_SKIP() << GetParam() << " is not built";
  const std::regex uuid("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
  const std::regex pci("[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]");
  const std::regex luid("[0-9a-f]{16}");
  const std::set<std::string> features = {"f16_storage", "f16_arithmetic", "f64", "subgroup"};
  std::size_t index = 0;
  for (const DeviceInfo& d : backend->list().devices) {
    EXPECT_EQ(d.id, GetParam() + ":" + std::to_string(index++));
    EXPECT_EQ(d.api, GetParam());
    EXPECT_FALSE(d.name.empty());
    EXPECT_FALSE(d.driver.empty());
    EXPECT_FALSE(d.api_version.empty());
    EXPECT_FALSE(d.timer.source.empty());
    const auto spelled = [](const std::optional<std::string>& text, const std::regex& pattern) {
      return !text || std::regex_match(*text, pattern);
    };
    EXPECT_TRUE(spelled(d.uuid, uuid)) << *d.uuid;
    EXPECT_TRUE(spelled(d.pci, pci)) << *d.pci;
    EXPECT_TRUE(spelled(d.luid, luid)) << *d.luid;
    for (const std::string& feature : d.features) EXPECT_TRUE(features.contains(feature));
    EXPECT_GT(d.limits.memory_bytes, 0u);
    EXPECT_LE(d.timer.valid_bits, 64u);
    EXPECT_GT(d.timer.period_ns, 0.0);
  }
}

TEST_P(OfApi, RefusesDevicesThatItDidNotList) {
  Backend* backend = backend_of(GetParam());
  if (backend == nullptr) GTEST_SKIP() << GetParam() << " is not built";
  for (const std::string& id :
       {GetParam() + ":99", GetParam() + ":-1", GetParam() + ":", GetParam(), std::string("x:0"),
        std::string(), GetParam() + ":18446744073709551616"}) {
    EXPECT_THROW(backend->open(id), std::invalid_argument) << '"' << id << '"';
  }
}

TEST_P(OfApi, KnowsWithoutADeviceWhichKernelsTheBuildHas) {
  Backend* backend = backend_of(GetParam());
  if (backend == nullptr) GTEST_SKIP() << GetParam() << " is not built";
  const auto missing = backend->lacks_kernel("no_such/naive/f32");
  ASSERT_TRUE(missing.has_value());
  EXPECT_TRUE(one_line(*missing)) << *missing;
  EXPECT_NE(missing->find("no_such"), std::string::npos) << *missing;
  for (const char* name : {"vector_add/naive/f32", "vector_add/vec4/f16", "spin/spin/u32"}) {
    EXPECT_EQ(backend->lacks_kernel(name), std::nullopt) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Contract, OfApi, ::testing::ValuesIn(all_apis()), test_name);

}  // namespace
}  // namespace parallax
