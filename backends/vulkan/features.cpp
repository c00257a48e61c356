#include "backends/vulkan/features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace parallax::vulkan {
namespace {

using Switch = VkBool32& (*)(Features&);

/// A capability that a kernel may declare, and what must be there for it: the feature that switches
/// it on, or the subgroup operation. Numbers and names are those of the SPIR-V specification,
/// section 3.31; the features those of the Vulkan specification, "SPIR-V Capabilities".
struct Capability {
  std::uint32_t number;
  const char* name;
  Switch feature = nullptr;
  VkSubgroupFeatureFlags subgroup = 0;
};

constexpr std::array kCapabilities = std::to_array<Capability>({
    {0, "Matrix"},
    {1, "Shader"},
    {9, "Float16", [](Features& f) -> VkBool32& { return f.v12.shaderFloat16; }},
    {10, "Float64", [](Features& f) -> VkBool32& { return f.core.features.shaderFloat64; }},
    {11, "Int64", [](Features& f) -> VkBool32& { return f.core.features.shaderInt64; }},
    {12, "Int64Atomics", [](Features& f) -> VkBool32& { return f.v12.shaderBufferInt64Atomics; }},
    {22, "Int16", [](Features& f) -> VkBool32& { return f.core.features.shaderInt16; }},
    {39, "Int8", [](Features& f) -> VkBool32& { return f.v12.shaderInt8; }},
    {61, "GroupNonUniform", nullptr, VK_SUBGROUP_FEATURE_BASIC_BIT},
    {62, "GroupNonUniformVote", nullptr, VK_SUBGROUP_FEATURE_VOTE_BIT},
    {63, "GroupNonUniformArithmetic", nullptr, VK_SUBGROUP_FEATURE_ARITHMETIC_BIT},
    {64, "GroupNonUniformBallot", nullptr, VK_SUBGROUP_FEATURE_BALLOT_BIT},
    {65, "GroupNonUniformShuffle", nullptr, VK_SUBGROUP_FEATURE_SHUFFLE_BIT},
    {66, "GroupNonUniformShuffleRelative", nullptr, VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT},
    {67, "GroupNonUniformClustered", nullptr, VK_SUBGROUP_FEATURE_CLUSTERED_BIT},
    {68, "GroupNonUniformQuad", nullptr, VK_SUBGROUP_FEATURE_QUAD_BIT},
    {4433, "StorageBuffer16BitAccess",
     [](Features& f) -> VkBool32& { return f.v11.storageBuffer16BitAccess; }},
    {4434, "UniformAndStorageBuffer16BitAccess",
     [](Features& f) -> VkBool32& { return f.v11.uniformAndStorageBuffer16BitAccess; }},
    {4435, "StoragePushConstant16",
     [](Features& f) -> VkBool32& { return f.v11.storagePushConstant16; }},
    {4448, "StorageBuffer8BitAccess",
     [](Features& f) -> VkBool32& { return f.v12.storageBuffer8BitAccess; }},
    {4449, "UniformAndStorageBuffer8BitAccess",
     [](Features& f) -> VkBool32& { return f.v12.uniformAndStorageBuffer8BitAccess; }},
    {4450, "StoragePushConstant8",
     [](Features& f) -> VkBool32& { return f.v12.storagePushConstant8; }},
    {5345, "VulkanMemoryModel", [](Features& f) -> VkBool32& { return f.v12.vulkanMemoryModel; }},
    {5346, "VulkanMemoryModelDeviceScope",
     [](Features& f) -> VkBool32& { return f.v12.vulkanMemoryModelDeviceScope; }},
});

bool is_on(const Capability& capability, Features enabled) {
  if (capability.feature != nullptr && capability.feature(enabled) != VK_TRUE) return false;
  return (enabled.subgroup_operations & capability.subgroup) == capability.subgroup;
}

}  // namespace

VkPhysicalDeviceFeatures2* Features::chain(bool with_executables) {
  core.pNext = &v11;
  v11.pNext = &v12;
  v12.pNext = with_executables ? &executables : nullptr;
  return &core;
}

Features used_features(const Features& offered) {
  Features from = offered;
  Features used;
  for (const Capability& capability : kCapabilities) {
    if (capability.feature != nullptr) capability.feature(used) = capability.feature(from);
  }
  used.v12.hostQueryReset = offered.v12.hostQueryReset;
  used.executables.pipelineExecutableInfo = offered.executables.pipelineExecutableInfo;
  used.subgroup_operations = offered.subgroup_operations;
  return used;
}

std::optional<std::string> missing_capability(std::span<const std::uint32_t> declared,
                                              const Features& enabled) {
  for (const std::uint32_t number : declared) {
    const auto found = std::ranges::find(kCapabilities, number, &Capability::number);
    if (found == kCapabilities.end()) {
      return fmt::format("needs SPIR-V capability {}, which the backend does not know", number);
    }
    if (!is_on(*found, enabled)) {
      return fmt::format("needs {}, which the device lacks", found->name);
    }
  }
  return std::nullopt;
}

}  // namespace parallax::vulkan
