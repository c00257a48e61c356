/// Lists and opens Vulkan devices.
#include <fmt/format.h>

#include <exception>
#include <optional>
#include <stdexcept>

#include "backends/device_code.hpp"
#include "backends/vulkan/device.hpp"
#include "backends/vulkan/instance.hpp"
#include "backends/vulkan/physical.hpp"
#include "backends/vulkan/search.hpp"

namespace parallax::vulkan {
namespace {

constexpr std::uint32_t kNvidia = 0x10de;  // PCI vendor number

/// Owns the instance, which is made when first needed and then kept: drivers are slow to load. The
/// backend outlives its devices.
class Backend final : public parallax::Backend {
 public:
  [[nodiscard]] std::string_view name() const override { return "vulkan"; }
  DeviceList list() override;
  std::optional<std::string> lacks_kernel(std::string_view kernel) const override {
    return lacks_device_code(CodeForm::spirv, kernel);
  }
  std::unique_ptr<parallax::Device> open(std::string_view id) override;

 private:
  /// Makes the instance, or says why there is none.
  std::optional<std::string> connect();
  [[nodiscard]] DeviceList list_connected() const;
  [[nodiscard]] bool is_nvidia(VkPhysicalDevice handle) const;

  std::unique_ptr<Instance> instance_;
};

std::optional<std::string> Backend::connect() {
  if (instance_) return std::nullopt;
  auto created = Instance::create();
  if (const auto* absent = std::get_if<Absent>(&created)) return absent->reason;
  instance_ = std::move(std::get<std::unique_ptr<Instance>>(created));
  return std::nullopt;
}

bool Backend::is_nvidia(VkPhysicalDevice handle) const {
  VkPhysicalDeviceProperties properties{};
  instance_->api().vkGetPhysicalDeviceProperties(handle, &properties);
  return properties.vendorID == kNvidia;
}

DeviceList Backend::list_connected() const {
  DeviceList list;
  bool nvidia = false;
  const auto handles = instance_->physical_devices();
  for (std::size_t i = 0; i < handles.size(); ++i) {
    nvidia |= is_nvidia(handles[i]);
    try {
      auto found = describe(*instance_, handles[i], i);
      if (const auto* absent = std::get_if<Absent>(&found)) {
        list.notes.push_back(absent->reason);
      } else {
        list.devices.push_back(std::move(std::get<Physical>(found).info));
      }
    } catch (const DeviceError& error) {
      list.notes.push_back(fmt::format("vulkan:{}: skipped, {}", i, error.what()));
    }
  }
  if (handles.empty()) {
    list.reason = no_driver_reason();
  } else if (!nvidia) {
    if (auto reason = missing_nvidia_reason(); !reason.empty()) list.notes.push_back(reason);
  }
  if (list.devices.empty() && list.reason.empty()) list.reason = list.notes.front();
  return list;
}

DeviceList Backend::list() {
  DeviceList list;
  try {
    if (auto reason = connect()) {
      list.reason = std::move(*reason);
    } else {
      list = list_connected();
    }
  } catch (const std::exception& error) {
    list = {};
    list.reason = error.what();
  }
  return list;
}

std::unique_ptr<parallax::Device> Backend::open(std::string_view id) {
  if (auto reason = connect()) {
    throw std::invalid_argument(fmt::format("no device {}: {}", id, *reason));
  }
  const auto handles = instance_->physical_devices();
  for (std::size_t i = 0; i < handles.size(); ++i) {
    if (id != fmt::format("vulkan:{}", i)) continue;
    const auto found = describe(*instance_, handles[i], i);
    if (const auto* absent = std::get_if<Absent>(&found)) {
      throw std::invalid_argument(fmt::format("no device {}: {}", id, absent->reason));
    }
    return std::make_unique<Device>(*instance_, std::get<Physical>(found));
  }
  throw std::invalid_argument(fmt::format("no device {}", id));
}

}  // namespace

std::unique_ptr<parallax::Backend> make_backend() { return std::make_unique<Backend>(); }

}  // namespace parallax::vulkan
