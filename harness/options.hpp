#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "workloads/workload.hpp"

namespace parallax {

/// Exit codes of the command line; README.md lists them.
inline constexpr int kExitDone = 0;
inline constexpr int kExitRegression = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitInconclusive = 3;
inline constexpr int kExitFailedCases = 4;
inline constexpr int kExitNoDevice = 77;

/// Ends a command with one line on stderr and an exit code. Thrown by commands, caught in main.
class CommandError : public std::runtime_error {
 public:
  CommandError(int exit_code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code) {}
  [[nodiscard]] int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

/// Which cases and devices a command is about. Empty lists mean "all" (devices: the default GPU).
struct Filters {
  std::vector<std::string> workloads;
  std::vector<std::string> apis;
  std::vector<std::string> devices;  ///< "cuda:0", "uuid:...", "pci:...", "cpu"
  std::vector<std::string> dtypes;
  std::vector<std::string> sizes;  ///< "n=1024"; replace the preset's sizes
  std::vector<std::string> variants;
  std::vector<std::string> tiers;
  std::string regex;  ///< searched in case names
};

/// What `run` was asked for.
struct RunOptions {
  Filters filters;
  Preset preset = Preset::standard;
  std::uint32_t rounds = 0;  ///< 0: as the preset says
  std::uint64_t seed = 1;
  std::vector<std::string> require;  ///< APIs that must have a device
  bool verify_only = false;
  std::string output;     ///< path, "-" for stdout, empty for the default name
  bool force = false;     ///< overwrite an existing file
  std::string arguments;  ///< the command line for the file, paths reduced to file names
};

std::string_view to_string(Preset preset);

/// Nearest of `names` to a misspelt word, by edit distance, or empty when none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& names);

}  // namespace parallax
