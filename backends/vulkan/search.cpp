#include "backends/vulkan/search.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "backends/library.hpp"

namespace parallax::vulkan {
namespace {

namespace fs = std::filesystem;

#ifdef _WIN32
constexpr char kPathSeparator = ';';
#else
constexpr char kPathSeparator = ':';
#endif

/// Where the loader looks for driver manifests, in words, and whether one of NVIDIA is there.
struct Search {
  std::string words;
  bool nvidia_manifest = false;
};

bool is_nvidia(const fs::path& manifest) {
  return manifest.filename().string().find("nvidia") != std::string::npos;
}

/// Results are published, so a path within the user's home loses that part.
std::string without_home(std::string_view path) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0' || !path.starts_with(home)) return std::string(path);
  return "$HOME" + std::string(path.substr(std::string_view(home).size()));
}

std::vector<fs::path> manifests_in(const fs::path& folder) {
  std::vector<fs::path> manifests;
  std::error_code ignored;  // a folder that cannot be read holds nothing for the loader either
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".json") manifests.push_back(entry.path());
  }
  return manifests;
}

/// A variable that replaces the standard folders. It may name files and folders.
Search search_variable(const char* variable, std::string_view value) {
  Search search;
  search.words = fmt::format("{} names ", variable);
  while (!value.empty()) {
    const auto end = value.find(kPathSeparator);
    const std::string_view path = value.substr(0, end);
    value = end == std::string_view::npos ? "" : value.substr(end + 1);
    std::error_code ignored;
    const bool exists = fs::exists(path, ignored);
    for (const fs::path& manifest : manifests_in(path))
      search.nvidia_manifest |= is_nvidia(manifest);
    search.nvidia_manifest |= exists && is_nvidia(path);
    search.words +=
        fmt::format("{}{}{}", without_home(path), exists ? " (exists)" : " (does not exist)",
                    value.empty() ? "" : ", ");
  }
  return search;
}

Search search_folders() {
  Search search;
  search.words = "searched ";
  const char* separator = "";
  for (const char* folder : {"/etc/vulkan/icd.d", "/usr/local/etc/vulkan/icd.d",
                             "/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d"}) {
    const auto manifests = manifests_in(folder);
    for (const fs::path& manifest : manifests) search.nvidia_manifest |= is_nvidia(manifest);
    search.words += fmt::format("{}{} ({} manifest{})", separator, folder, manifests.size(),
                                manifests.size() == 1 ? "" : "s");
    separator = ", ";
  }
  return search;
}

Search search() {
  // The loader's own order: the second name is the older spelling of the first.
  for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return search_variable(variable, value);
  }
  return search_folders();
}

bool has_nvidia_driver() {
  std::error_code ignored;
  if (fs::exists("/proc/driver/nvidia/version", ignored)) return true;
  constexpr const char* kCuda[] = {"libcuda.so.1"};  // WSL has no /proc/driver/nvidia
  return std::holds_alternative<Library>(Library::open(kCuda));
}

}  // namespace

std::string no_driver_reason() {
  const std::string nvidia = missing_nvidia_reason();
  if (!nvidia.empty()) return fmt::format("loader present, no driver found: {}", nvidia);
  return fmt::format("loader present, no driver found: {}", search().words);
}

std::string missing_nvidia_reason() {
  if (!has_nvidia_driver()) return "";
  const Search found = search();
  std::string cause = "its manifest nvidia_icd.json is missing";
  if (found.nvidia_manifest) {
    cause = "its manifest is there, so the library that it names does not work here";
    // Without it the driver's library loads and then gives no vkCreateInstance.
    constexpr const char* kEgl[] = {"libEGL.so.1"};
    const auto egl = Library::open(kEgl);
    if (std::holds_alternative<Absent>(egl)) {
      cause += "; it needs libEGL.so.1 (package libegl1), which cannot be opened";
    }
  }
  return fmt::format("an NVIDIA driver is installed, but Vulkan lists no NVIDIA device: {} ({})",
                     cause, found.words);
}

}  // namespace parallax::vulkan
