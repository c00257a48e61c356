#pragma once

#include <filesystem>

namespace parallax {

/// Checks a result file. Prints one line on stdout when it is valid, else one line per problem on
/// stderr.
/// Errors: returns kExitUsage for a file that is not valid or cannot be read.
int validate_command(const std::filesystem::path& path);

}  // namespace parallax
