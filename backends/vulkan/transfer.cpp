#include <algorithm>
#include <cstring>

#include "backends/checks.hpp"
#include "backends/vulkan/device.hpp"

namespace parallax::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

Timing host_timing(Clock::time_point start) {
  Timing timing;
  timing.host_ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  return timing;
}

}  // namespace

Staging& Device::staging() {
  if (!staging_) staging_ = std::make_unique<Staging>(context_);
  return *staging_;
}

void Device::record_copy(VkBuffer from, std::uint64_t from_offset, VkBuffer to,
                         std::uint64_t to_offset, std::uint64_t size_bytes) {
  const VkBufferCopy region{from_offset, to_offset, size_bytes};
  begin();
  full_barrier();
  context_.api.vkCmdCopyBuffer(commands_, from, to, 1, &region);
  // A fence alone does not make device writes visible to the host.
  barrier({VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT},
          {VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT});
  end();
}

Timing Device::write(parallax::Buffer& buffer, std::span<const std::byte> bytes) {
  check_copy(buffer, bytes.size());
  const Staging& staged = staging();
  const auto start = Clock::now();
  for (std::uint64_t offset = 0; offset < bytes.size(); offset += Staging::kSizeBytes) {
    const auto piece =
        bytes.subspan(offset, std::min<std::uint64_t>(Staging::kSizeBytes, bytes.size() - offset));
    std::memcpy(staged.data(), piece.data(), piece.size());
    staged.flush();
    record_copy(staged.buffer(), 0, native(buffer), offset, piece.size());
    submit();
  }
  return host_timing(start);
}

Timing Device::read(const parallax::Buffer& buffer, std::span<std::byte> bytes) {
  check_copy(buffer, bytes.size());
  const Staging& staged = staging();
  const auto start = Clock::now();
  for (std::uint64_t offset = 0; offset < bytes.size(); offset += Staging::kSizeBytes) {
    const auto piece =
        bytes.subspan(offset, std::min<std::uint64_t>(Staging::kSizeBytes, bytes.size() - offset));
    record_copy(native(buffer), offset, staged.buffer(), 0, piece.size());
    submit();
    staged.invalidate();
    std::memcpy(piece.data(), staged.data(), piece.size());
  }
  return host_timing(start);
}

Timing Device::fill(parallax::Buffer& buffer, std::uint32_t pattern) {
  check_fill(buffer);
  const auto start = Clock::now();
  begin();
  full_barrier();
  context_.api.vkCmdFillBuffer(commands_, native(buffer), 0, buffer.size_bytes(), pattern);
  end();
  submit();
  return host_timing(start);
}

}  // namespace parallax::vulkan
