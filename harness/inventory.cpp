#include "harness/inventory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace parallax {
namespace {

bool is_cpu(const DeviceInfo& info) { return info.type == DeviceType::cpu; }

/// Rule that tells two devices of different drivers to be one physical device, or nothing. The
/// strongest key that both have decides alone: partitions of one card share its PCI address.
const char* same_gpu(const DeviceInfo& a, const DeviceInfo& b) {
  if (is_cpu(a) || is_cpu(b)) return is_cpu(a) && is_cpu(b) ? "cpu" : nullptr;
  if (a.uuid && b.uuid) return *a.uuid == *b.uuid ? "uuid" : nullptr;
  if (a.pci && b.pci) return *a.pci == *b.pci ? "pci" : nullptr;
  if (a.luid && b.luid) return *a.luid == *b.luid ? "luid" : nullptr;
  return nullptr;
}

const char* own_rule(const DeviceInfo& info) {
  if (is_cpu(info)) return "cpu";
  if (info.uuid) return "uuid";
  if (info.pci) return "pci";
  return info.luid ? "luid" : "none";
}

/// Order of preference as the default GPU.
int rank(DeviceType type) {
  switch (type) {
    case DeviceType::discrete_gpu:
      return 0;
    case DeviceType::integrated_gpu:
      return 1;
    case DeviceType::virtual_gpu:
      return 2;
    case DeviceType::other:
      return 3;
    case DeviceType::cpu:
      break;
  }
  return 4;
}

bool other_gpu(const DeviceInfo& a, const DeviceInfo& b) {
  return a.uuid && b.uuid && *a.uuid != *b.uuid;
}

/// Smallest index of each device's group, so that a group is known by its first member. Groups do
/// not merge through a device that knows less than both: partitions of a card share its address.
std::vector<std::size_t> first_members(const std::vector<DeviceInfo>& devices) {
  std::vector<std::size_t> first(devices.size());
  std::iota(first.begin(), first.end(), 0);
  const auto contradict = [&](std::size_t a, std::size_t b) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
      for (std::size_t j = 0; first[i] == a && j < devices.size(); ++j) {
        if (first[j] == b && !is_cpu(devices[i]) && other_gpu(devices[i], devices[j])) return true;
      }
    }
    return false;
  };
  for (std::size_t i = 0; i < devices.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::size_t keep = std::min(first[i], first[j]);
      const std::size_t merge = std::max(first[i], first[j]);
      if (keep == merge || same_gpu(devices[i], devices[j]) == nullptr) continue;
      if (!contradict(keep, merge)) std::replace(first.begin(), first.end(), merge, keep);
    }
  }
  return first;
}

void add_facts(Gpu& gpu, const DeviceInfo& info) {
  if (gpu.name.empty() || info.api == "host") gpu.name = info.name;
  if (gpu.driver.empty()) gpu.driver = info.driver;
  if (rank(info.type) < rank(gpu.type)) gpu.type = info.type;
  // Software drivers invent UUIDs, so a CPU has none.
  if (!is_cpu(info)) {
    if (!gpu.uuid) gpu.uuid = info.uuid;
    if (!gpu.pci) gpu.pci = info.pci;
  }
  gpu.memory_bytes = std::max(gpu.memory_bytes, info.limits.memory_bytes);
  gpu.l2_bytes = std::max(gpu.l2_bytes, info.l2_bytes);
}

std::string gpu_id(const Gpu& gpu, const DeviceInfo& first) {
  if (gpu.is_cpu()) return "cpu";
  if (gpu.uuid) return "uuid:" + *gpu.uuid;
  if (gpu.pci) return "pci:" + *gpu.pci;
  if (first.luid) return "luid:" + *first.luid;
  return "device:" + first.id;
}

std::string matched_by(const std::vector<DeviceInfo>& devices,
                       const std::vector<std::size_t>& first, std::size_t index) {
  for (const char* rule : {"cpu", "uuid", "pci", "luid"}) {
    for (std::size_t other = 0; other < devices.size(); ++other) {
      if (other == index || first[other] != first[index]) continue;
      const char* found = same_gpu(devices[index], devices[other]);
      if (found != nullptr && std::string_view(found) == rule) return rule;
    }
  }
  return own_rule(devices[index]);
}

}  // namespace

const Gpu& Inventory::gpu(std::string_view id) const {
  const auto found = std::ranges::find(gpus, id, &Gpu::id);
  if (found == gpus.end()) throw std::out_of_range(fmt::format("no GPU {}", id));
  return *found;
}

const ListedDevice& Inventory::device(std::string_view id) const {
  const auto found =
      std::ranges::find(devices, id, [](const ListedDevice& d) { return d.info.id; });
  if (found == devices.end()) throw std::out_of_range(fmt::format("no device {}", id));
  return *found;
}

Inventory group_devices(std::vector<DeviceInfo> devices) {
  Inventory inventory;
  const std::vector<std::size_t> first = first_members(devices);
  for (std::size_t leader = 0; leader < devices.size(); ++leader) {
    if (first[leader] != leader) continue;
    Gpu gpu;
    gpu.type = devices[leader].type;
    for (std::size_t i = leader; i < devices.size(); ++i) {
      if (first[i] == leader) add_facts(gpu, devices[i]);
    }
    gpu.id = gpu_id(gpu, devices[leader]);
    inventory.gpus.push_back(gpu);
    for (std::size_t i = leader; i < devices.size(); ++i) {
      if (first[i] != leader) continue;
      inventory.devices.push_back({.info = devices[i],
                                   .gpu = gpu.id,
                                   .matched_by = matched_by(devices, first, i),
                                   .alias_of = {}});
    }
  }
  // Back to the order of the APIs; within one GPU and API the first is the one that runs.
  std::ranges::stable_sort(inventory.devices, {}, [&](const ListedDevice& d) {
    return std::ranges::find(devices, d.info.id, &DeviceInfo::id) - devices.begin();
  });
  for (auto later = inventory.devices.begin(); later != inventory.devices.end(); ++later) {
    const auto earlier = std::find_if(inventory.devices.begin(), later, [&](const auto& d) {
      return d.gpu == later->gpu && d.info.api == later->info.api;
    });
    if (earlier != later) later->alias_of = earlier->info.id;
  }
  std::ranges::stable_sort(inventory.gpus, [](const Gpu& a, const Gpu& b) {
    if (rank(a.type) != rank(b.type)) return rank(a.type) < rank(b.type);
    return a.memory_bytes > b.memory_bytes;
  });
  return inventory;
}

Backends::Backends(const std::vector<BackendEntry>& entries) {
  std::vector<DeviceInfo> devices;
  std::vector<AbsentApi> absent;
  std::vector<std::string> notes;
  for (const BackendEntry& entry : entries) {
    apis_.push_back(entry.name);
    if (entry.make == nullptr) {
      absent.push_back({entry.name, entry.reason});
      continue;
    }
    auto& backend = backends_[entry.name] = entry.make();
    DeviceList list = backend->list();
    for (const std::string& note : list.notes) notes.push_back(entry.name + ": " + note);
    if (list.devices.empty()) absent.push_back({entry.name, list.reason});
    std::ranges::move(list.devices, std::back_inserter(devices));
  }
  inventory_ = group_devices(std::move(devices));
  inventory_.absent = std::move(absent);
  inventory_.notes = std::move(notes);
}

Backend& Backends::backend(std::string_view api) const {
  const auto found = backends_.find(api);
  if (found == backends_.end()) throw std::out_of_range(fmt::format("no backend {}", api));
  return *found->second;
}

std::vector<std::string> Backends::apis() const { return apis_; }

}  // namespace parallax
