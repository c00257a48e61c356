#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <variant>

#include "harness/commands/commands.hpp"
#include "harness/console.hpp"
#include "harness/options.hpp"
#include "harness/results.hpp"

namespace parallax {
namespace {

/// A little over what the reader accepts, so that a device that never ends is given up.
constexpr std::size_t kMostBytes = std::size_t{65} << 20;

struct Unreadable {
  std::string cause;
};

std::variant<std::string, Unreadable> read_text(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return Unreadable{"it is a folder"};
  errno = 0;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return Unreadable{std::generic_category().message(errno)};
  std::string text;
  char chunk[1 << 16];
  for (std::size_t got = 1; got > 0 && text.size() < kMostBytes;) {
    got = std::fread(chunk, 1, sizeof chunk, file);
    text.append(chunk, got);
  }
  const int error = std::ferror(file) ? errno : 0;
  std::fclose(file);
  if (error != 0) return Unreadable{std::generic_category().message(error)};
  return text;
}

}  // namespace

int validate_command(const std::filesystem::path& path) {
  const auto read = read_text(path);
  if (const auto* unreadable = std::get_if<Unreadable>(&read)) {
    say(fmt::format("parallax validate: cannot read {}: {}\n", path.string(), unreadable->cause));
    return kExitUsage;
  }
  const auto& text = std::get<std::string>(read);
  const std::vector<std::string> errors = check_result_text(text);
  for (const std::string& error : errors) say(fmt::format("{}: {}\n", path.string(), error));
  if (!errors.empty()) return kExitUsage;
  const nlohmann::json file = nlohmann::json::parse(text);
  fmt::print("{}: valid parallax-result {}, {} rows\n", path.string(),
             file["schema_version"].get<std::string>(), file["results"].size());
  return kExitDone;
}

}  // namespace parallax
