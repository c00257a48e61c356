#include "backends/vulkan/device.hpp"

#include <cassert>

#include "backends/checks.hpp"
#include "backends/device_code.hpp"

namespace parallax::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

OwnedCommandPool create_command_pool(const Context& context) {
  auto create = blank<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  create.queueFamilyIndex = context.queue_family;
  VkCommandPool pool = VK_NULL_HANDLE;
  check(context.api.vkCreateCommandPool(context.api.device, &create, nullptr, &pool),
        "vkCreateCommandPool()");
  return context.own<OwnedCommandPool>(pool);
}

VkCommandBuffer allocate_commands(const Context& context, VkCommandPool pool) {
  auto allocate =
      blank<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  allocate.commandPool = pool;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(context.api.vkAllocateCommandBuffers(context.api.device, &allocate, &commands),
        "vkAllocateCommandBuffers()");
  return commands;
}

OwnedFence create_fence(const Context& context) {
  const auto create = blank<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  VkFence fence = VK_NULL_HANDLE;
  check(context.api.vkCreateFence(context.api.device, &create, nullptr, &fence), "vkCreateFence()");
  return context.own<OwnedFence>(fence);
}

OwnedQueryPool create_queries(const Context& context) {
  auto create = blank<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  create.queryType = VK_QUERY_TYPE_TIMESTAMP;
  create.queryCount = kQueries;
  VkQueryPool pool = VK_NULL_HANDLE;
  check(context.api.vkCreateQueryPool(context.api.device, &create, nullptr, &pool),
        "vkCreateQueryPool()");
  return context.own<OwnedQueryPool>(pool);
}

}  // namespace

Device::Device(const Instance& instance, const Physical& physical)
    : info_(physical.info),
      context_(instance, physical),
      layout_(context_),
      command_pool_(create_command_pool(context_)),
      commands_(allocate_commands(context_, command_pool_.get())),
      fence_(create_fence(context_)) {
  if (info_.timer.valid_bits != 0) queries_ = create_queries(context_);
}

Device::~Device() {
  assert(context_.live_objects == 0 && "a buffer or kernel outlives its device");
  // Only a failed wait leaves work behind. The result does not matter: there is no one to tell.
  (void)context_.api.vkDeviceWaitIdle(context_.api.device);
}

std::unique_ptr<parallax::Buffer> Device::allocate(std::uint64_t size_bytes) {
  check_allocate(size_bytes);
  return std::make_unique<Buffer>(context_, size_bytes);
}

KernelOrReason Device::find_kernel(std::string_view name, Extent3 group_size) {
  const auto found = find_device_code(CodeForm::spirv, name);
  if (const auto* absent = std::get_if<Absent>(&found)) return *absent;
  if (auto reason = group_over_limits(info_, group_size)) return Absent{*reason};
  if (auto reason = dtype_unsupported(info_, name)) return Absent{*reason};
  return build_kernel(context_, layout_, name, std::get<DeviceCode>(found), group_size);
}

void Device::begin() {
  const DeviceApi& api = context_.api;
  check(api.vkResetCommandPool(api.device, command_pool_.get(), 0), "vkResetCommandPool()");
  auto begin = blank<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(api.vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer()");
}

void Device::end() { check(context_.api.vkEndCommandBuffer(commands_), "vkEndCommandBuffer()"); }

void Device::barrier(Scope before, Scope after) {
  auto memory = blank<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  memory.srcAccessMask = before.access;
  memory.dstAccessMask = after.access;
  context_.api.vkCmdPipelineBarrier(commands_, before.stages, after.stages, 0, 1, &memory, 0,
                                    nullptr, 0, nullptr);
}

void Device::full_barrier() {
  barrier(
      {VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT},
      {VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT});
}

double Device::submit() {
  const DeviceApi& api = context_.api;
  const VkFence fence = fence_.get();
  check(api.vkResetFences(api.device, 1, &fence), "vkResetFences()");
  auto submission = blank<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  submission.commandBufferCount = 1;
  submission.pCommandBuffers = &commands_;
  const auto start = Clock::now();
  check(api.vkQueueSubmit(context_.queue, 1, &submission, fence), "vkQueueSubmit()");
  check(api.vkWaitForFences(api.device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences()");
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

}  // namespace parallax::vulkan
