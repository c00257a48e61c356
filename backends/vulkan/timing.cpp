/// The timing bracket: everything is recorded first, so that the bracket is one submission.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "backends/checks.hpp"
#include "backends/vulkan/device.hpp"

namespace parallax::vulkan {
namespace {

constexpr std::uint32_t kLeadInStart = 0;
constexpr std::uint32_t kT0 = 1;
constexpr std::uint32_t kT1 = 2;

OwnedDescriptorPool create_descriptor_pool(const Context& context, std::uint32_t sets) {
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                  sets * static_cast<std::uint32_t>(kMaxBuffers)};
  auto create = blank<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  create.maxSets = sets;
  create.poolSizeCount = 1;
  create.pPoolSizes = &size;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  check(context.api.vkCreateDescriptorPool(context.api.device, &create, nullptr, &pool),
        "vkCreateDescriptorPool()");
  return context.own<OwnedDescriptorPool>(pool);
}

std::vector<VkDescriptorSet> allocate_sets(const Context& context, VkDescriptorPool pool,
                                           VkDescriptorSetLayout layout, std::uint32_t count) {
  const std::vector<VkDescriptorSetLayout> layouts(count, layout);
  auto allocate =
      blank<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  allocate.descriptorPool = pool;
  allocate.descriptorSetCount = count;
  allocate.pSetLayouts = layouts.data();
  std::vector<VkDescriptorSet> sets(count);
  check(context.api.vkAllocateDescriptorSets(context.api.device, &allocate, sets.data()),
        "vkAllocateDescriptorSets()");
  return sets;
}

/// Writes bindings 0 to n-1 in one go: a write that is longer than its binding runs on into the
/// next. Bindings behind them stay as they are; the kernel does not use them.
/// Errors: throws std::invalid_argument for a buffer that is too large for a binding.
void write_set(const Context& context, VkDescriptorSet set, const Launch& launch) {
  if (launch.buffers.empty()) return;
  for (const parallax::Buffer* buffer : launch.buffers) {
    if (buffer->size_bytes() <= context.limits.max_binding_bytes) continue;
    throw std::invalid_argument(fmt::format("launch with a buffer of {} bytes; at most {}",
                                            buffer->size_bytes(),
                                            context.limits.max_binding_bytes));
  }
  std::array<VkDescriptorBufferInfo, kMaxBuffers> buffers{};
  std::ranges::transform(launch.buffers, buffers.begin(), [](const parallax::Buffer* buffer) {
    return VkDescriptorBufferInfo{native(*buffer), 0, VK_WHOLE_SIZE};
  });
  auto write = blank<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = set;
  write.descriptorCount = static_cast<std::uint32_t>(launch.buffers.size());
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = buffers.data();
  context.api.vkUpdateDescriptorSets(context.api.device, 1, &write, 0, nullptr);
}

}  // namespace

Timing Device::run(std::span<const Launch> lead_in, std::span<const Launch> launches,
                   std::uint32_t repeats) {
  check_run(info_, lead_in, launches, repeats);
  const DeviceApi& api = context_.api;
  const bool timed = queries_ && !lead_in.empty();
  bind(lead_in, launches);
  record(lead_in, launches, repeats, timed);
  // On the host, because a reset among the commands lets a wait return the value before it.
  if (timed) api.vkResetQueryPool(api.device, queries_.get(), 0, kQueries);
  Timing timing;
  timing.enqueue_ns = 0.0;  // one submission hands over lead-in and launches together
  timing.host_ns = submit();
  if (timed) read_timestamps(timing);
  return timing;
}

void Device::bind(std::span<const Launch> lead_in, std::span<const Launch> launches) {
  const std::size_t needed = lead_in.size() + launches.size();
  if (needed > sets_.size()) {
    const auto count = static_cast<std::uint32_t>(std::max<std::size_t>(needed, 16));
    sets_.clear();
    descriptor_pool_ = create_descriptor_pool(context_, count);
    sets_ = allocate_sets(context_, descriptor_pool_.get(), layout_.set.get(), count);
  }
  auto set = sets_.begin();
  for (const Launch& launch : lead_in) write_set(context_, *set++, launch);
  for (const Launch& launch : launches) write_set(context_, *set++, launch);
}

void Device::record(std::span<const Launch> lead_in, std::span<const Launch> launches,
                    std::uint32_t repeats, bool timed) {
  const std::span<const VkDescriptorSet> sets(sets_);
  begin();
  // The barriers behind the timestamps are not for memory alone: later commands are not ordered
  // after a timestamp by the specification (ggml-org/llama.cpp#21865).
  if (timed) record_timestamp(kLeadInStart);
  full_barrier();
  record_sequence(lead_in, sets.first(lead_in.size()), 1);
  if (timed) record_timestamp(kT0);
  full_barrier();
  record_sequence(launches, sets.subspan(lead_in.size(), launches.size()), repeats);
  if (timed) record_timestamp(kT1);
  end();
}

void Device::record_sequence(std::span<const Launch> launches,
                             std::span<const VkDescriptorSet> sets, std::uint32_t repeats) {
  const DeviceApi& api = context_.api;
  const VkPipelineLayout layout = layout_.pipeline.get();
  const Launch* bound = nullptr;
  for (std::uint32_t r = 0; r < repeats; ++r) {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const Launch& launch = launches[i];
      // What is bound stays bound, so a launch that follows itself is a dispatch and nothing more.
      if (bound != &launch) {
        api.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE,
                              static_cast<const Kernel&>(*launch.kernel).pipeline());
        api.vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1,
                                    &sets[i], 0, nullptr);
        if (!launch.constants.empty()) {
          api.vkCmdPushConstants(commands_, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                 static_cast<std::uint32_t>(launch.constants.size()),
                                 launch.constants.data());
        }
        bound = &launch;
      }
      api.vkCmdDispatch(commands_, launch.groups.x, launch.groups.y, launch.groups.z);
      // The narrow barrier: ALL_COMMANDS costs 1 to 5 % more on an H200.
      barrier({VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT},
              {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
               VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT});
    }
  }
}

void Device::record_timestamp(std::uint32_t query) {
  // A stamp waits for earlier commands at its own stage only, so it must be the stage of the work.
  context_.api.vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, queries_.get(),
                                   query);
}

void Device::read_timestamps(Timing& timing) const {
  struct Stamp {
    std::uint64_t ticks;
    std::uint64_t is_available;
  };
  std::array<Stamp, kQueries> stamps{};
  const DeviceApi& api = context_.api;
  const VkResult result = api.vkGetQueryPoolResults(
      api.device, queries_.get(), 0, kQueries, sizeof stamps, stamps.data(), sizeof(Stamp),
      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
  // A driver that does not deliver after the fence leaves no number; waiting could hang.
  if (result == VK_NOT_READY) return;
  check(result, "vkGetQueryPoolResults()");
  for (const Stamp& stamp : stamps) {
    if (stamp.is_available == 0) return;
  }
  const auto between = [&](std::uint32_t from, std::uint32_t to) {
    const auto ns = elapsed_ns(stamps[from].ticks, stamps[to].ticks, info_.timer);
    return ns && *ns > 0.0 ? ns : std::nullopt;
  };
  timing.leadin_ns = between(kLeadInStart, kT0);
  timing.device_ns = between(kT0, kT1);
}

}  // namespace parallax::vulkan
