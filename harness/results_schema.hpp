#pragma once

#include <string_view>

namespace parallax {

/// Text of results/schema/parallax-result-1.schema.json. Embedded by the build.
std::string_view result_schema();

}  // namespace parallax
