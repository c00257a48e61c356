/// The OpenCL backend: every device of every installed platform, through the ICD loader.
#include <fmt/format.h>

#include <stdexcept>

#include "backends/device_code.hpp"
#include "backends/opencl/device.hpp"
#include "backends/opencl/enumerate.hpp"

namespace parallax::opencl {
namespace {

class OpenClBackend : public Backend {
 public:
  std::string_view name() const override { return "opencl"; }

  DeviceList list() override {
    if (const auto* absent = std::get_if<Absent>(&api_)) {
      return {.devices = {}, .notes = {}, .reason = absent->reason};
    }
    Enumeration all = enumerate(std::get<Api>(api_));
    DeviceList result{.devices = {}, .notes = std::move(all.notes), .reason = all.reason};
    for (Found& found : all.found) result.devices.push_back(std::move(found.info));
    return result;
  }

  std::optional<std::string> lacks_kernel(std::string_view kernel) const override {
    return lacks_device_code(CodeForm::opencl_c, kernel);
  }
  std::unique_ptr<parallax::Device> open(std::string_view id) override {
    if (const auto* api = std::get_if<Api>(&api_)) {
      for (Found& found : enumerate(*api).found) {
        if (found.info.id == id) return std::make_unique<Device>(*api, std::move(found));
      }
    }
    throw std::invalid_argument(fmt::format("no device {}", id));
  }

 private:
  std::variant<Api, Absent> api_ = Api::open();
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<OpenClBackend>(); }

}  // namespace parallax::opencl
