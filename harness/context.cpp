#include "harness/context.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <charconv>
#include <ctime>
#include <fstream>
#include <string_view>

namespace parallax {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\"'";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Value behind the first "key<separator>value" line of a file.
std::string value_of(const std::filesystem::path& file, std::string_view key, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.find(separator);
    if (at != std::string::npos && trimmed(std::string_view(line).substr(0, at)) == key) {
      return std::string(trimmed(std::string_view(line).substr(at + 1)));
    }
  }
  return {};
}

std::string kernel() {
  utsname names{};
  // The node name, which uname also tells, is nobody's business.
  if (::uname(&names) != 0) return {};
  // The version alone: what follows names one machine's build.
  const std::string_view release = names.release;
  return fmt::format("{} {} {}", names.sysname,
                     release.substr(0, release.find_first_not_of("0123456789.")), names.machine);
}

}  // namespace

HostFacts host_facts(const std::filesystem::path& root) {
  HostFacts facts{.os = value_of(root / "etc/os-release", "PRETTY_NAME", '='),
                  .kernel = kernel(),
                  .cpu = value_of(root / "proc/cpuinfo", "model name", ':')};
  const std::string total = value_of(root / "proc/meminfo", "MemTotal", ':');
  std::uint64_t kib = 0;
  std::from_chars(total.data(), total.data() + total.size(), kib);
  facts.memory_bytes = kib * 1024;
  return facts;
}

std::string version_line() {
  const ToolFacts tool = tool_facts();
  return fmt::format("{} {}{} ({}, {}, glslang {})", tool.name, tool.version,
                     tool.commit.empty() ? "" : " " + tool.commit, tool.compiler,
                     tool.cuda.empty() ? "without CUDA" : "CUDA " + tool.cuda, tool.glslang);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

}  // namespace parallax
