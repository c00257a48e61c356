#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string>

#include "harness/results.hpp"
#include "tests/unit/files.hpp"

namespace parallax {
namespace {

namespace fs = std::filesystem;

TEST(WriteAtomically, ReplacesAFileAndLeavesNothingElse) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a.json";
  write_atomically(path, "old");
  write_atomically(path, "new");
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(WriteAtomically, FollowsALinkAndKeepsIt) {
  const TemporaryFolder folder;
  write_atomically(folder.path() / "a.json", "old");
  fs::create_symlink("a.json", folder.path() / "link.json");
  write_atomically(folder.path() / "link.json", "new");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link.json"));
  EXPECT_EQ(read_file(folder.path() / "a.json"), "new");
}

std::string write_error(const fs::path& path) {
  try {
    write_atomically(path, "text");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(WriteAtomically, NamesPathAndCause) {
  EXPECT_EQ(write_error("/dev/full"), "cannot write /dev/full: No space left on device");
  EXPECT_EQ(write_error("/nonexistent/a.json"),
            "cannot write /nonexistent/a.json: No such file or directory");
  const TemporaryFolder folder;
  EXPECT_EQ(write_error(folder.path()),
            "cannot write " + folder.path().string() + ": Is a directory");
  EXPECT_EQ(write_error("/dev/null"), "no error");
  EXPECT_EQ(write_error("/proc/a.json").substr(0, 26), "cannot write /proc/a.json:");
}

TEST(WriteAtomically, LeavesTheOldFileWhereTheFolderRefuses) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a.json";
  write_atomically(path, "old");
  fs::permissions(folder.path(), static_cast<fs::perms>(0555));
  const uid_t user = ::geteuid();
  constexpr uid_t kNobody = 65534;  // root may write anywhere
  if (user == 0) {
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  const std::string error = write_error(path);
  if (user == 0) {
    ASSERT_EQ(::seteuid(user), 0);
  }
  fs::permissions(folder.path(), fs::perms::owner_all);
  EXPECT_EQ(error, "cannot write " + path.string() + ": Permission denied");
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(WriteAtomically, LeavesTheOldFileWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a.json";
  write_atomically(path, "old");
  // A limit on file sizes fails in the middle of a write, as a full disk does.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{.rlim_cur = 4096, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  std::string error;
  try {
    write_atomically(path, std::string(10000, 'x'));
  } catch (const std::runtime_error& caught) {
    error = caught.what();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error, "cannot write " + path.string() + ": File too large");
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

}  // namespace
}  // namespace parallax
