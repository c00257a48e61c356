#pragma once

#include "backends/device.hpp"
#include "backends/device_code.hpp"
#include "backends/vulkan/context.hpp"

namespace parallax::vulkan {

/// The one layout that all kernels share, so that none needs reflection: set 0 with kMaxBuffers
/// storage buffers, and kMaxConstantBytes of push constants. A kernel uses what it needs of it.
struct Layout {
  explicit Layout(const Context& context);

  OwnedSetLayout set;
  OwnedPipelineLayout pipeline;
};

/// A compute pipeline.
class Kernel final : public parallax::Kernel {
 public:
  Kernel(Context& context, OwnedPipeline pipeline, KernelFacts facts)
      : parallax::Kernel(std::move(facts)), live_(context), pipeline_(std::move(pipeline)) {}
  [[nodiscard]] VkPipeline pipeline() const { return pipeline_.get(); }

 private:
  Live live_;
  OwnedPipeline pipeline_;
};

/// Builds a kernel from embedded code.
/// Units:  group_size reaches the module as specialization constants 0, 1 and 2.
/// Errors: returns Absent where the device lacks a capability or the shared memory that the module
///         declares; throws DeviceError of kind build_failed when the driver refuses the module.
KernelOrReason build_kernel(Context& context, const Layout& layout, std::string_view name,
                            const DeviceCode& code, Extent3 group_size);

}  // namespace parallax::vulkan
