#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/registry.hpp"

namespace parallax {

/// A physical device: one card, or all CPU devices of the machine.
struct Gpu {
  std::string
      id;  ///< stable: "uuid:<uuid>", "pci:<address>", "luid:<luid>", "cpu", else "device:<id>"
  std::string name;
  DeviceType type = DeviceType::other;
  std::optional<std::string> uuid;
  std::optional<std::string> pci;
  std::string driver;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  [[nodiscard]] bool is_cpu() const { return type == DeviceType::cpu; }
};

/// A device as listed by its API, and the physical device that it was matched to.
struct ListedDevice {
  DeviceInfo info;
  std::string gpu;  ///< Gpu::id
  std::string
      matched_by;  ///< rule that told the physical device: "uuid", "pci", "luid", "cpu", "none"
  std::string alias_of;  ///< id of an earlier device of the same API on the same physical device
};

/// An API without devices, and why.
struct AbsentApi {
  std::string api;
  std::string reason;
};

/// All devices of all APIs of this machine.
struct Inventory {
  std::vector<Gpu> gpus;              ///< discrete GPUs, integrated ones, others, the CPU last
  std::vector<ListedDevice> devices;  ///< in the order of backends and their ids
  std::vector<AbsentApi> absent;
  std::vector<std::string> notes;  ///< one line each, "<api>: ..."

  [[nodiscard]] const Gpu& gpu(std::string_view id) const;
  [[nodiscard]] const ListedDevice& device(std::string_view id) const;
};

/// Groups devices by physical GPU. Two devices are one GPU if they share a UUID, else a PCI
/// address, else a LUID; devices of type cpu are all one entry, whatever UUID their drivers report.
/// Pure, so that it can be tested with invented devices.
Inventory group_devices(std::vector<DeviceInfo> devices);

/// The backends of one run: made once, listed once.
class Backends {
 public:
  explicit Backends(const std::vector<BackendEntry>& entries);
  [[nodiscard]] const Inventory& inventory() const { return inventory_; }
  /// Backend of an API. Errors: throws std::out_of_range for an API that is not built.
  [[nodiscard]] Backend& backend(std::string_view api) const;
  /// Every API that the sources know, built or not.
  [[nodiscard]] std::vector<std::string> apis() const;

 private:
  std::map<std::string, std::unique_ptr<Backend>, std::less<>> backends_;
  std::vector<std::string> apis_;
  Inventory inventory_;
};

}  // namespace parallax
