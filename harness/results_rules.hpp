#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace parallax {

/// Says what is wrong with a result file beyond its schema: one line per problem, a JSON pointer
/// first.
/// Shapes: `file` satisfies the schema.
std::vector<std::string> broken_rules(const nlohmann::json& file);

}  // namespace parallax
