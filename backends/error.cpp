#include "backends/error.hpp"

#include <fmt/format.h>

#include <string_view>

namespace parallax {
namespace {

std::string describe(const std::string& call, std::int64_t code, const std::string& code_name,
                     const std::source_location& where) {
  std::string_view file = where.file_name();
  file.remove_prefix(std::min(file.size(), file.find_last_of('/') + 1));
  if (code_name.empty()) {
    return fmt::format("{} failed ({}) at {}:{}", call, code, file, where.line());
  }
  return fmt::format("{} returned {} ({}) at {}:{}", call, code_name, code, file, where.line());
}

}  // namespace

DeviceError::DeviceError(Kind kind, std::string call, std::int64_t code,
                         const std::string& code_name, std::string log, std::source_location where)
    : std::runtime_error(describe(call, code, code_name, where)),
      kind_(kind),
      call_(std::move(call)),
      code_(code),
      log_(std::move(log)) {}

}  // namespace parallax
