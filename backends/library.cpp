#include "backends/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace parallax {

std::variant<Library, Absent> Library::open(std::span<const char* const> names) {
  std::string tried;
  std::string last_words;
  for (const char* name : names) {
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return Library(handle, name);
    const char* words = dlerror();
    last_words = words != nullptr ? words : "";
    tried += tried.empty() ? name : fmt::format(", {}", name);
  }
  return Absent{fmt::format("cannot open {} ({})", tried, last_words)};
}

void* Library::symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace parallax
