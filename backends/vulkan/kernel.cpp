#include "backends/vulkan/kernel.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstddef>

#include "backends/vulkan/spirv.hpp"

namespace parallax::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array kGroupSizeEntries = std::to_array<VkSpecializationMapEntry>({
    {0, offsetof(Extent3, x), sizeof(Extent3::x)},
    {1, offsetof(Extent3, y), sizeof(Extent3::y)},
    {2, offsetof(Extent3, z), sizeof(Extent3::z)},
});

OwnedShaderModule create_module(const Context& context, std::span<const std::uint32_t> words) {
  auto create = blank<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  create.codeSize = words.size_bytes();
  create.pCode = words.data();
  VkShaderModule shader = VK_NULL_HANDLE;
  check(context.api.vkCreateShaderModule(context.api.device, &create, nullptr, &shader),
        "vkCreateShaderModule()");
  return context.own<OwnedShaderModule>(shader);
}

OwnedPipeline create_pipeline(const Context& context, const Layout& layout, VkShaderModule shader,
                              std::string_view name, const Extent3& group_size) {
  VkSpecializationInfo constants{};
  constants.mapEntryCount = kGroupSizeEntries.size();
  constants.pMapEntries = kGroupSizeEntries.data();
  constants.dataSize = sizeof group_size;
  constants.pData = &group_size;
  auto create = blank<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  if (context.has_executables) create.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  create.stage =
      blank<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  create.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  create.stage.module = shader;
  create.stage.pName = "main";
  create.stage.pSpecializationInfo = &constants;
  create.layout = layout.pipeline.get();
  VkPipeline pipeline = VK_NULL_HANDLE;
  const VkResult result = context.api.vkCreateComputePipelines(context.api.device, VK_NULL_HANDLE,
                                                               1, &create, nullptr, &pipeline);
  if (result == VK_ERROR_DEVICE_LOST) check(result, "vkCreateComputePipelines()");
  // Drivers report a failed build with any code, so the call says more than the code.
  if (result != VK_SUCCESS) {
    throw DeviceError(DeviceError::Kind::build_failed,
                      fmt::format("vkCreateComputePipelines({})", name), result,
                      std::string(to_string(result)),
                      "Vulkan drivers return no compiler log; the validation layer "
                      "VK_LAYER_KHRONOS_validation may say more.");
  }
  return context.own<OwnedPipeline>(pipeline);
}

std::optional<std::uint32_t> as_count(const VkPipelineExecutableStatisticKHR& statistic) {
  switch (statistic.format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
      return static_cast<std::uint32_t>(statistic.value.i64);
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
      return static_cast<std::uint32_t>(statistic.value.u64);
    default:
      return std::nullopt;
  }
}

/// Reads the statistics that drivers are known to publish in the units of KernelFacts. Counts of
/// spilled registers (RADV, ANV) are no bytes and stay out.
void add_statistics(const Context& context, VkPipeline pipeline, KernelFacts& facts) {
  auto which = blank<VkPipelineInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR);
  which.pipeline = pipeline;
  const auto executables = enumerate<VkPipelineExecutablePropertiesKHR>(
      "vkGetPipelineExecutablePropertiesKHR()",
      [&](std::uint32_t* count, VkPipelineExecutablePropertiesKHR* items) {
        return context.api.vkGetPipelineExecutablePropertiesKHR(context.api.device, &which, count,
                                                                items);
      },
      blank<VkPipelineExecutablePropertiesKHR>(
          VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR));
  if (executables.empty()) return;
  auto first = blank<VkPipelineExecutableInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR);
  first.pipeline = pipeline;
  const auto statistics = enumerate<VkPipelineExecutableStatisticKHR>(
      "vkGetPipelineExecutableStatisticsKHR()",
      [&](std::uint32_t* count, VkPipelineExecutableStatisticKHR* items) {
        return context.api.vkGetPipelineExecutableStatisticsKHR(context.api.device, &first, count,
                                                                items);
      },
      blank<VkPipelineExecutableStatisticKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR));
  for (const VkPipelineExecutableStatisticKHR& statistic : statistics) {
    const std::string_view name = statistic.name;
    const auto says = [&](std::string_view part) { return name.find(part) != name.npos; };
    if (says("Register Count")) facts.registers = as_count(statistic);
    if (says("Spill Size")) facts.spill_bytes = as_count(statistic);
    if (says("Shared Memory Size")) facts.shared_bytes = as_count(statistic);
  }
}

}  // namespace

Layout::Layout(const Context& context) {
  const DeviceApi& api = context.api;
  std::array<VkDescriptorSetLayoutBinding, kMaxBuffers> bindings{};
  for (std::uint32_t i = 0; i < bindings.size(); ++i) {
    bindings[i].binding = i;
    bindings[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    bindings[i].descriptorCount = 1;
    bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  }
  auto set_create =
      blank<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  set_create.bindingCount = bindings.size();
  set_create.pBindings = bindings.data();
  VkDescriptorSetLayout set_handle = VK_NULL_HANDLE;
  check(api.vkCreateDescriptorSetLayout(api.device, &set_create, nullptr, &set_handle),
        "vkCreateDescriptorSetLayout()");
  set = context.own<OwnedSetLayout>(set_handle);

  const VkPushConstantRange constants{VK_SHADER_STAGE_COMPUTE_BIT, 0, kMaxConstantBytes};
  auto create = blank<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  create.setLayoutCount = 1;
  create.pSetLayouts = &set_handle;
  create.pushConstantRangeCount = 1;
  create.pPushConstantRanges = &constants;
  VkPipelineLayout pipeline_handle = VK_NULL_HANDLE;
  check(api.vkCreatePipelineLayout(api.device, &create, nullptr, &pipeline_handle),
        "vkCreatePipelineLayout()");
  pipeline = context.own<OwnedPipelineLayout>(pipeline_handle);
}

KernelOrReason build_kernel(Context& context, const Layout& layout, std::string_view name,
                            const DeviceCode& code, Extent3 group_size) {
  const std::vector<std::uint32_t> words = spirv_words(code);
  if (auto reason = missing_capability(declared_capabilities(words), context.features)) {
    return Absent{*reason};
  }
  if (const std::uint64_t needed = shared_bytes(words); needed > context.limits.shared_bytes) {
    return Absent{fmt::format("needs {} bytes of shared memory, the device has {}", needed,
                              context.limits.shared_bytes)};
  }

  KernelFacts facts;
  facts.source_hash = code.hash;
  facts.flags = code.flags;
  const auto start = Clock::now();
  const OwnedShaderModule shader = create_module(context, words);
  OwnedPipeline pipeline = create_pipeline(context, layout, shader.get(), name, group_size);
  facts.build_ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  if (context.has_executables) add_statistics(context, pipeline.get(), facts);
  return std::make_unique<Kernel>(context, std::move(pipeline), std::move(facts));
}

}  // namespace parallax::vulkan
