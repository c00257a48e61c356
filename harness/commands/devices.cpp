#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "harness/commands/commands.hpp"
#include "harness/one_line.hpp"
#include "harness/results.hpp"

namespace parallax {
namespace {

std::string gibibytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0));
}

void print_gpu(const Inventory& inventory, const Gpu& gpu) {
  fmt::print("{} [{}]  {}, {}\n", one_line(gpu.name), gpu.id, to_string(gpu.type),
             gibibytes(gpu.memory_bytes));
  if (gpu.pci) fmt::print("  PCI {}\n", *gpu.pci);
  for (const ListedDevice& d : inventory.devices) {
    if (d.gpu != gpu.id) continue;
    const std::string platform = d.info.platform.empty() ? "" : one_line(d.info.platform) + ", ";
    const std::string alias =
        d.alias_of.empty() ? "" : fmt::format("  probable alias of {}", d.alias_of);
    fmt::print("  {:<10} {}\n             API {}, {}driver {}, matched by {}{}\n", d.info.id,
               one_line(d.info.name), one_line(d.info.api_version), platform,
               one_line(d.info.driver), d.matched_by, alias);
  }
}

}  // namespace

int devices_command(const Backends& backends, bool json) {
  const Inventory& inventory = backends.inventory();
  if (json) {
    fmt::print("{}", inventory_json_text(inventory));
    return kExitDone;
  }
  for (const Gpu& gpu : inventory.gpus) print_gpu(inventory, gpu);
  for (const AbsentApi& absent : inventory.absent) {
    fmt::print("{}: no device: {}\n", absent.api, one_line(absent.reason));
  }
  for (const std::string& note : inventory.notes) fmt::print("note: {}\n", one_line(note));
  return kExitDone;
}

}  // namespace parallax
