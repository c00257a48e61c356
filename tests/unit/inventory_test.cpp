#include "harness/inventory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace parallax {
namespace {

using ::testing::ElementsAre;

constexpr const char* kUuidA = "aaaaaaaa-0000-0000-0000-000000000001";
constexpr const char* kUuidB = "bbbbbbbb-0000-0000-0000-000000000002";

struct Keys {
  std::optional<std::string> uuid, pci, luid;
};

DeviceInfo device(const std::string& id, Keys keys = {},
                  DeviceType type = DeviceType::discrete_gpu) {
  DeviceInfo info;
  info.id = id;
  info.api = id.substr(0, id.find(':'));
  info.name = "Card";
  info.driver = "driver 1";
  info.type = type;
  info.uuid = keys.uuid;
  info.pci = keys.pci;
  info.luid = keys.luid;
  info.limits.memory_bytes = 1000;
  return info;
}

std::vector<std::string> gpu_ids(const Inventory& inventory) {
  std::vector<std::string> ids;
  for (const Gpu& gpu : inventory.gpus) ids.push_back(gpu.id);
  return ids;
}

/// Every device in its order, as "id gpu rule alias".
std::vector<std::string> rows(const Inventory& inventory) {
  std::vector<std::string> rows;
  for (const ListedDevice& d : inventory.devices) {
    std::string row = d.info.id;
    row += " " + d.gpu;
    row += " " + d.matched_by;
    row += " " + d.alias_of;
    rows.push_back(row);
  }
  return rows;
}

TEST(GroupDevices, MatchesByUuidFirst) {
  const Inventory inventory =
      group_devices({device("cuda:0", {.uuid = kUuidA, .pci = "0000:01:00.0", .luid = {}}),
                     device("opencl:0", {.uuid = kUuidA, .pci = "0000:99:00.0", .luid = {}}),
                     device("vulkan:0", {.uuid = kUuidA, .pci = {}, .luid = {}})});
  const std::string gpu = std::string("uuid:") + kUuidA;
  EXPECT_THAT(gpu_ids(inventory), ElementsAre(gpu));
  EXPECT_THAT(rows(inventory), ElementsAre("cuda:0 " + gpu + " uuid ", "opencl:0 " + gpu + " uuid ",
                                           "vulkan:0 " + gpu + " uuid "));
}

TEST(GroupDevices, MatchesByPciWhereAUuidIsMissing) {
  const Inventory inventory =
      group_devices({device("cuda:0", {.uuid = kUuidA, .pci = "0000:01:00.0", .luid = {}}),
                     device("opencl:0", {.uuid = {}, .pci = "0000:01:00.0", .luid = {}})});
  ASSERT_EQ(inventory.gpus.size(), 1u);
  EXPECT_EQ(inventory.device("opencl:0").matched_by, "pci");
  EXPECT_EQ(inventory.device("opencl:0").gpu, inventory.device("cuda:0").gpu);
  EXPECT_EQ(inventory.gpus.front().uuid, kUuidA);
  EXPECT_EQ(inventory.gpus.front().pci, "0000:01:00.0");
}

TEST(GroupDevices, MatchesByLuidLast) {
  const Inventory inventory =
      group_devices({device("cuda:0", {.uuid = {}, .pci = {}, .luid = "0123456789abcdef"}),
                     device("vulkan:0", {.uuid = {}, .pci = {}, .luid = "0123456789abcdef"}),
                     device("vulkan:1", {.uuid = {}, .pci = {}, .luid = "ffffffffffffffff"})});
  EXPECT_THAT(gpu_ids(inventory), ElementsAre("luid:0123456789abcdef", "luid:ffffffffffffffff"));
  EXPECT_EQ(inventory.device("vulkan:0").matched_by, "luid");
  EXPECT_EQ(inventory.device("vulkan:0").gpu, "luid:0123456789abcdef");
}

TEST(GroupDevices, DoesNotMatchUnlikeUuidsAtOnePciAddress) {
  const Inventory inventory =
      group_devices({device("cuda:0", {.uuid = kUuidA, .pci = "0000:01:00.0", .luid = {}}),
                     device("cuda:1", {.uuid = kUuidB, .pci = "0000:01:00.0", .luid = {}})});
  EXPECT_EQ(inventory.gpus.size(), 2u);
  EXPECT_EQ(inventory.device("cuda:1").alias_of, "");
}

// Partitions of one card share its PCI address. A driver that knows only the address must not
// turn them into one device.
TEST(GroupDevices, KeepsUnlikeUuidsApartWhateverAThirdDeviceSays) {
  const Inventory inventory =
      group_devices({device("cuda:0", {.uuid = kUuidA, .pci = "0000:01:00.0", .luid = {}}),
                     device("cuda:1", {.uuid = kUuidB, .pci = "0000:01:00.0", .luid = {}}),
                     device("opencl:0", {.uuid = {}, .pci = "0000:01:00.0", .luid = {}})});
  EXPECT_NE(inventory.device("cuda:0").gpu, inventory.device("cuda:1").gpu);
  EXPECT_EQ(inventory.device("cuda:1").alias_of, "");
}

TEST(GroupDevices, KeepsTwoCardsOfOneNameApartAsInD17) {
  const Inventory inventory =
      group_devices({device("opencl:0", {.uuid = {}, .pci = "0000:03:00.0", .luid = {}}),
                     device("opencl:1", {.uuid = {}, .pci = "0000:04:00.0", .luid = {}})});
  EXPECT_THAT(gpu_ids(inventory), ElementsAre("pci:0000:03:00.0", "pci:0000:04:00.0"));
  EXPECT_THAT(rows(inventory),
              ElementsAre("opencl:0 pci:0000:03:00.0 pci ", "opencl:1 pci:0000:04:00.0 pci "));
}

TEST(GroupDevices, KeepsDevicesWithoutAnyKeyApart) {
  const Inventory inventory = group_devices({device("opencl:0"), device("vulkan:0")});
  EXPECT_THAT(gpu_ids(inventory), ElementsAre("device:opencl:0", "device:vulkan:0"));
  EXPECT_EQ(inventory.device("opencl:0").matched_by, "none");
  EXPECT_EQ(inventory.device("vulkan:0").matched_by, "none");
}

TEST(GroupDevices, PutsAllCpusIntoOneEntryWhateverTheirUuids) {
  const Inventory inventory =
      group_devices({device("opencl:0", {.uuid = kUuidA, .pci = {}, .luid = {}}, DeviceType::cpu),
                     device("vulkan:0", {.uuid = kUuidB, .pci = {}, .luid = {}}, DeviceType::cpu),
                     device("host:0", {}, DeviceType::cpu)});
  EXPECT_THAT(gpu_ids(inventory), ElementsAre("cpu"));
  EXPECT_THAT(rows(inventory),
              ElementsAre("opencl:0 cpu cpu ", "vulkan:0 cpu cpu ", "host:0 cpu cpu "));
  EXPECT_FALSE(inventory.gpus.front().uuid.has_value());
  EXPECT_TRUE(inventory.gpus.front().is_cpu());
}

TEST(GroupDevices, NeverMatchesACpuWithAGpuOfTheSameUuid) {
  const Inventory inventory =
      group_devices({device("vulkan:0", {.uuid = kUuidA, .pci = {}, .luid = {}}),
                     device("vulkan:1", {.uuid = kUuidA, .pci = {}, .luid = {}}, DeviceType::cpu)});
  EXPECT_THAT(gpu_ids(inventory), ElementsAre(std::string("uuid:") + kUuidA, "cpu"));
  EXPECT_EQ(inventory.device("vulkan:1").alias_of, "");
}

TEST(GroupDevices, MarksAliasesOfD01AndDropsNone) {
  const Inventory inventory =
      group_devices({device("opencl:0", {.uuid = {}, .pci = "0000:01:00.0", .luid = {}}),
                     device("opencl:1", {.uuid = {}, .pci = "0000:02:00.0", .luid = {}}),
                     device("opencl:2", {.uuid = {}, .pci = "0000:01:00.0", .luid = {}}),
                     device("opencl:3", {.uuid = {}, .pci = "0000:02:00.0", .luid = {}}),
                     device("vulkan:0", {.uuid = {}, .pci = "0000:01:00.0", .luid = {}})});
  ASSERT_EQ(inventory.devices.size(), 5u);
  EXPECT_EQ(inventory.device("opencl:0").alias_of, "");
  EXPECT_EQ(inventory.device("opencl:1").alias_of, "");
  EXPECT_EQ(inventory.device("opencl:2").alias_of, "opencl:0");
  EXPECT_EQ(inventory.device("opencl:3").alias_of, "opencl:1");
  EXPECT_EQ(inventory.device("vulkan:0").alias_of, "") << "another API is no alias";
  EXPECT_EQ(inventory.gpus.size(), 2u);
}

TEST(GroupDevices, NamesTheFirstDeviceForEveryAlias) {
  const Inventory inventory = group_devices({device("opencl:0", {}, DeviceType::cpu),
                                             device("opencl:1", {}, DeviceType::cpu),
                                             device("opencl:2", {}, DeviceType::cpu)});
  EXPECT_EQ(inventory.device("opencl:1").alias_of, "opencl:0");
  EXPECT_EQ(inventory.device("opencl:2").alias_of, "opencl:0");
}

TEST(GroupDevices, OrdersGpusByTypeWithTheCpuLast) {
  const Inventory inventory =
      group_devices({device("host:0", {}, DeviceType::cpu),
                     device("vulkan:0", {.uuid = {}, .pci = "0000:00:02.0", .luid = {}},
                            DeviceType::integrated_gpu),
                     device("vulkan:1", {.uuid = {}, .pci = "0000:01:00.0", .luid = {}}),
                     device("vulkan:2", {}, DeviceType::other)});
  EXPECT_THAT(gpu_ids(inventory),
              ElementsAre("pci:0000:01:00.0", "pci:0000:00:02.0", "device:vulkan:2", "cpu"));
  // Devices stay in the order of the backends.
  EXPECT_EQ(inventory.devices.front().info.id, "host:0");
}

TEST(GroupDevices, GivesStableIdsWhenADriverIsAdded) {  // D16
  const auto card = device("opencl:0", {.uuid = kUuidA, .pci = {}, .luid = {}});
  auto moved = card;
  moved.id = "opencl:1";
  const Inventory before = group_devices({card});
  const Inventory after =
      group_devices({device("opencl:0", {.uuid = kUuidB, .pci = {}, .luid = {}}), moved});
  EXPECT_EQ(before.device("opencl:0").gpu, after.device("opencl:1").gpu);
}

TEST(GroupDevices, HasUniqueGpuIdsThatEveryDeviceRefersTo) {
  const Inventory inventory =
      group_devices({device("cuda:0", {.uuid = kUuidA, .pci = "0000:01:00.0", .luid = {}}),
                     device("cuda:1", {.uuid = kUuidB, .pci = "0000:01:00.0", .luid = {}}),
                     device("vulkan:0", {.uuid = kUuidB, .pci = {}, .luid = {}}),
                     device("vulkan:1"), device("host:0", {}, DeviceType::cpu)});
  std::set<std::string> ids;
  for (const Gpu& gpu : inventory.gpus) EXPECT_TRUE(ids.insert(gpu.id).second) << gpu.id;
  for (const ListedDevice& d : inventory.devices) EXPECT_NO_THROW((void)inventory.gpu(d.gpu));
  EXPECT_EQ(inventory.device("vulkan:0").gpu, inventory.device("cuda:1").gpu);
}

TEST(GroupDevices, IsEmptyForNoDevices) {
  const Inventory inventory = group_devices({});
  EXPECT_TRUE(inventory.gpus.empty());
  EXPECT_TRUE(inventory.devices.empty());
}

}  // namespace
}  // namespace parallax
