#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "harness/results.hpp"

namespace parallax {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int code) {
  throw std::runtime_error(
      fmt::format("cannot write {}: {}", path.string(), std::generic_category().message(code)));
}

/// Returns 0 or errno.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void write_in_place(const std::filesystem::path& path, std::string_view text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, errno);
  int error = write_all(descriptor, text);
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) fail(path, error);
}

}  // namespace

void write_atomically(const std::filesystem::path& path, std::string_view text) {
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  if (kind == std::filesystem::file_type::directory) fail(path, EISDIR);
  if (kind == std::filesystem::file_type::none) fail(path, ignored.value());
  // A device or a pipe has no old content to protect, and a rename would put a file in its place.
  const bool exists = kind != std::filesystem::file_type::not_found;
  if (exists && kind != std::filesystem::file_type::regular) return write_in_place(path, text);

  // A link stays a link; what it points at is replaced.
  const auto target = exists ? std::filesystem::canonical(path) : path;
  const std::string temporary = fmt::format("{}.{}.tmp", target.string(), ::getpid());
  const int descriptor =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(path, errno);
  int error = write_all(descriptor, text);
  if (error == 0 && ::fsync(descriptor) != 0) error = errno;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return;
  ::unlink(temporary.c_str());
  fail(path, error);
}

}  // namespace parallax
