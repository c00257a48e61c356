/// The CUDA backend: the runtime is linked statically and opens the driver when first called, so
/// that the binary starts and says why on a machine that has none.
#include <fmt/format.h>

#include <stdexcept>

#include "backends/cuda/device.hpp"
#include "backends/cuda/enumerate.hpp"
#include "backends/device_code.hpp"

namespace parallax::cuda {
namespace {

class CudaBackend : public Backend {
 public:
  std::string_view name() const override { return "cuda"; }
  DeviceList list() override { return enumerate(); }
  std::optional<std::string> lacks_kernel(std::string_view kernel) const override {
    return lacks_device_code(CodeForm::fatbin, kernel);
  }
  std::unique_ptr<parallax::Device> open(std::string_view id) override {
    for (DeviceInfo& info : enumerate().devices) {
      if (info.id == id) return std::make_unique<Device>(std::move(info));
    }
    throw std::invalid_argument(fmt::format("no device {}", id));
  }
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<CudaBackend>(); }

}  // namespace parallax::cuda
