#include "harness/context.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "tests/unit/files.hpp"

namespace parallax {
namespace {

namespace fs = std::filesystem;

TEST(Context, ReadsTheMachineBelowARoot) {
  const TemporaryFolder root;
  fs::create_directories(root.path() / "etc");
  fs::create_directories(root.path() / "proc");
  std::ofstream(root.path() / "etc/os-release") << "NAME=x\nPRETTY_NAME=\"Example Linux 1\"\n";
  std::ofstream(root.path() / "proc/cpuinfo") << "processor\t: 0\nmodel name\t: Example CPU\n";
  std::ofstream(root.path() / "proc/meminfo") << "MemTotal:       2048 kB\nMemFree: 1 kB\n";
  const HostFacts facts = host_facts(root.path());
  EXPECT_EQ(facts.os, "Example Linux 1");
  EXPECT_EQ(facts.cpu, "Example CPU");
  EXPECT_EQ(facts.memory_bytes, 2048u * 1024);
}

TEST(Context, LacksWhatTheMachineDoesNotTell) {
  const TemporaryFolder root;
  const HostFacts facts = host_facts(root.path());
  EXPECT_EQ(facts.os, "");
  EXPECT_EQ(facts.memory_bytes, 0u);
}

// O14: neither host name nor paths of this machine are in the facts.
TEST(Context, O14_TellsNothingPrivate) {
  char node[256] = "";
  ASSERT_EQ(::gethostname(node, sizeof node - 1), 0);
  const HostFacts host = host_facts();
  EXPECT_EQ(host.kernel.find(std::string(" ") + node + " "), std::string::npos);
  const ToolFacts tool = tool_facts();
  EXPECT_EQ(tool.name, "parallax");
  EXPECT_FALSE(tool.version.empty());
  EXPECT_EQ(tool.flags.find('/'), std::string::npos);
}

}  // namespace
}  // namespace parallax
