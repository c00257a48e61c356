// choose_devices of plan.hpp: which devices a run is about.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "harness/plan.hpp"

namespace parallax {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view value) {
  return std::ranges::find(list, value) != list.end();
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// Says what this machine has, so that a wrong selector is mended in one step.
std::string valid_devices(const Inventory& inventory) {
  std::vector<std::string> lines;
  for (const ListedDevice& d : inventory.devices) {
    lines.push_back(fmt::format("{} ({})", d.info.id, d.info.name));
  }
  if (lines.empty()) return "this machine has no device";
  return fmt::format("valid: {}", fmt::join(lines, ", "));
}

std::string unknown_device(const Backends& backends, const std::string& selector) {
  const Inventory& inventory = backends.inventory();
  const std::string api = selector.substr(0, selector.find(':'));
  const bool names_api = selector.find(':') != std::string::npos && contains(backends.apis(), api);
  if (!names_api) {
    return fmt::format("no device matches --device {}; {}", selector, valid_devices(inventory));
  }
  for (const AbsentApi& absent : inventory.absent) {
    if (absent.api == api) {
      return fmt::format("no {} device for --device {}: {}", api, selector, absent.reason);
    }
  }
  const auto count = std::ranges::count_if(
      inventory.devices, [&](const ListedDevice& d) { return d.info.api == api; });
  return fmt::format("no device {}; valid: {}:0..{}; {}", selector, api, count - 1,
                     valid_devices(inventory));
}

/// Devices of the physical GPU that a selector names ("uuid:...", "cpu", part of a name), or none.
/// Errors: throws for part of a name that several GPUs share.
std::vector<std::string> devices_of_gpu(const Inventory& inventory, const std::string& selector) {
  const std::string text = lower(selector);
  std::vector<const Gpu*> found;
  for (const Gpu& gpu : inventory.gpus) {
    const bool by_key = text == lower(gpu.id) || (gpu.uuid && text == "uuid:" + *gpu.uuid) ||
                        (gpu.pci && text == "pci:" + *gpu.pci);
    if (by_key) found = {&gpu};
    if (by_key) break;
    if (text.size() > 2 && lower(gpu.name).find(text) != std::string::npos) found.push_back(&gpu);
  }
  if (found.size() > 1) {
    std::vector<std::string> ids;
    for (const Gpu* gpu : found) ids.push_back(fmt::format("{} ({})", gpu->id, gpu->name));
    throw CommandError(kExitUsage, fmt::format("--device {} is ambiguous; it matches {}", selector,
                                               fmt::join(ids, ", ")));
  }
  std::vector<std::string> devices;
  for (const ListedDevice& d : inventory.devices) {
    if (!found.empty() && d.gpu == found.front()->id && d.alias_of.empty()) {
      devices.push_back(d.info.id);
    }
  }
  return devices;
}

/// Devices whose index alone was given ("0").
std::vector<std::string> devices_with_index(const Inventory& inventory,
                                            const std::string& selector) {
  std::vector<std::string> devices;
  for (const ListedDevice& d : inventory.devices) {
    if (d.info.id.ends_with(":" + selector)) devices.push_back(d.info.id);
  }
  if (devices.size() > 1) {
    throw CommandError(kExitUsage, fmt::format("--device {} is ambiguous; it matches {}", selector,
                                               fmt::join(devices, ", ")));
  }
  return devices;
}

std::vector<std::string> resolve(const Backends& backends, const std::string& selector) {
  const Inventory& inventory = backends.inventory();
  for (const ListedDevice& d : inventory.devices) {
    if (d.info.id == selector) return {selector};
  }
  const bool digits = !selector.empty() && std::ranges::all_of(selector, [](unsigned char c) {
    return std::isdigit(c) != 0;
  });
  std::vector<std::string> found =
      digits ? devices_with_index(inventory, selector) : devices_of_gpu(inventory, selector);
  if (found.empty()) throw CommandError(kExitUsage, unknown_device(backends, selector));
  return found;
}

/// The best GPU that any wanted API reaches, or nullptr.
const Gpu* default_gpu(const Inventory& inventory, const std::vector<std::string>& apis) {
  const bool machine_has_gpu =
      std::ranges::any_of(inventory.gpus, [](const Gpu& gpu) { return !gpu.is_cpu(); });
  for (const Gpu& gpu : inventory.gpus) {
    if (gpu.is_cpu() && machine_has_gpu) continue;
    const bool reached = std::ranges::any_of(inventory.devices, [&](const ListedDevice& d) {
      return d.gpu == gpu.id && (apis.empty() || contains(apis, d.info.api));
    });
    if (reached) return &gpu;
  }
  return nullptr;
}

/// Says why an API has no device among those chosen by default.
std::string why_left_out(const Inventory& inventory, const std::string& api) {
  for (const AbsentApi& absent : inventory.absent) {
    if (absent.api == api) return fmt::format("{}: {}", api, absent.reason);
  }
  // It has devices and still none here: a CPU beside a GPU, or another GPU.
  std::vector<std::string> others;
  for (const ListedDevice& d : inventory.devices) {
    if (d.info.api == api) others.push_back(fmt::format("{} ({})", d.info.id, d.info.name));
  }
  return fmt::format("{}: has only {}, which runs only when named by --device", api,
                     fmt::join(others, ", "));
}

std::string no_device_reason(const Backends& backends, const std::vector<std::string>& apis) {
  std::vector<std::string> reasons;
  for (const std::string& api : apis.empty() ? backends.apis() : apis) {
    reasons.push_back(why_left_out(backends.inventory(), api));
  }
  return fmt::format("no usable device: {}", fmt::join(reasons, "; "));
}

/// Tells of every API that was asked for, or that a run would show by default, and is not there.
void note_missing(const Backends& backends, const Filters& filters,
                  const std::vector<std::string>& chosen, std::vector<std::string>& notes) {
  for (const std::string& api : filters.apis.empty() ? backends.apis() : filters.apis) {
    const bool present = std::ranges::any_of(
        chosen, [&](const std::string& id) { return id.starts_with(api + ":"); });
    const bool asked = !filters.apis.empty() || api != "host";
    if (!present && asked) {
      notes.push_back("not measured: " + why_left_out(backends.inventory(), api));
    }
  }
}

std::vector<std::string> default_devices(const Backends& backends, const Filters& filters,
                                         std::vector<std::string>& notes) {
  const Inventory& inventory = backends.inventory();
  // The host runs wherever it is asked for by name; the other APIs share one GPU.
  std::vector<std::string> gpu_apis = filters.apis;
  const bool host_asked = std::erase(gpu_apis, "host") > 0;
  const bool host_only = host_asked && gpu_apis.empty();
  const Gpu* gpu = host_only ? nullptr : default_gpu(inventory, gpu_apis);
  std::vector<std::string> chosen;
  for (const ListedDevice& d : inventory.devices) {
    const bool on_gpu = gpu != nullptr && d.gpu == gpu->id &&
                        (filters.apis.empty() || contains(gpu_apis, d.info.api));
    if (!on_gpu && !(host_asked && d.info.api == "host")) continue;
    if (!d.alias_of.empty()) {
      notes.push_back(fmt::format("{} is probably {} again and is left out; --device {} runs it",
                                  d.info.id, d.alias_of, d.info.id));
      continue;
    }
    chosen.push_back(d.info.id);
  }
  return chosen;
}

/// Two devices of one API on one GPU would give rows with the same key.
void refuse_twins(const Inventory& inventory, const std::vector<std::string>& devices) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const ListedDevice& a = inventory.device(devices[j]);
      const ListedDevice& b = inventory.device(devices[i]);
      if (a.gpu != b.gpu || a.info.api != b.info.api) continue;
      throw CommandError(kExitUsage,
                         fmt::format("{} and {} are the same API on the same GPU, so their rows "
                                     "could not be told apart; name one of them",
                                     a.info.id, b.info.id));
    }
  }
}

}  // namespace

void check_apis(const Backends& backends, const std::vector<std::string>& apis) {
  for (const std::string& api : apis) {
    if (contains(backends.apis(), api)) continue;
    const std::string near = nearest(api, backends.apis());
    throw CommandError(kExitUsage,
                       fmt::format("unknown API {}{}; valid: {}", api,
                                   near.empty() ? "" : fmt::format(", did you mean {}?", near),
                                   fmt::join(backends.apis(), ", ")));
  }
}

std::vector<std::string> choose_devices(const Backends& backends, const Filters& filters,
                                        std::vector<std::string>& notes) {
  const Inventory& inventory = backends.inventory();
  check_apis(backends, filters.apis);
  std::vector<std::string> chosen;
  if (filters.devices.empty()) {
    chosen = default_devices(backends, filters, notes);
    if (!chosen.empty()) note_missing(backends, filters, chosen, notes);
  } else {
    for (const std::string& selector : filters.devices) {
      for (const std::string& id : resolve(backends, selector)) {
        const bool wanted =
            filters.apis.empty() || contains(filters.apis, inventory.device(id).info.api);
        if (wanted && !contains(chosen, id)) chosen.push_back(id);
      }
    }
  }
  if (chosen.empty() && !filters.devices.empty()) {
    throw CommandError(kExitUsage,
                       fmt::format("--device {} has no device of --api {}",
                                   fmt::join(filters.devices, ","), fmt::join(filters.apis, ",")));
  }
  if (chosen.empty()) {
    throw CommandError(kExitNoDevice, no_device_reason(backends, filters.apis));
  }
  refuse_twins(inventory, chosen);
  // In the order of the APIs, whatever the order of the selectors.
  std::ranges::stable_sort(chosen, {}, [&](const std::string& id) {
    return &inventory.device(id) - inventory.devices.data();
  });
  return chosen;
}

}  // namespace parallax
