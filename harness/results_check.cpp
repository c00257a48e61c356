#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "harness/results.hpp"
#include "harness/results_rules.hpp"
#include "harness/results_schema.hpp"
#include "harness/strict_json.hpp"

namespace parallax {
namespace {

using nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

constexpr std::size_t kMaxLines = 20;

const valijson::Schema& schema() {
  struct Parsed {
    Parsed() {
      const json text = json::parse(result_schema());
      valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(Adapter(text), value);
    }
    valijson::Schema value;
  };
  static const Parsed parsed;
  return parsed.value;
}

/// Major and minor number of "1.0".
using Version = std::pair<unsigned, unsigned>;

std::optional<Version> parse_version(std::string_view text) {
  unsigned major = 0;
  unsigned minor = 0;
  const char* end = text.data() + text.size();
  const auto dot = std::from_chars(text.data(), end, major);
  if (dot.ec != std::errc{} || dot.ptr == end || *dot.ptr != '.') return std::nullopt;
  const auto rest = std::from_chars(dot.ptr + 1, end, minor);
  if (rest.ec != std::errc{} || rest.ptr != end) return std::nullopt;
  return Version{major, minor};
}

std::optional<Version> version_of(const json& file) {
  const auto text = file.find("schema_version");
  if (text == file.end() || !text->is_string()) return std::nullopt;
  return parse_version(text->get_ref<const std::string&>());
}

std::string shown(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  return printable(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

/// Says why the file is none that this tool could know, or nothing. Asked before the schema,
/// because a file of another kind or version would break every rule of it.
std::optional<std::string> foreign(const json& file) {
  if (!file.is_object()) return "/: a result file is an object";
  if (!file.contains("schema")) return "/: missing 'schema'; this is no result file";
  if (file["schema"] != "parallax-result") {
    return fmt::format("/schema: {} is not \"parallax-result\"", shown(file["schema"]));
  }
  const auto version = version_of(file);
  if (!version || version->first == 1) return std::nullopt;
  return fmt::format("/schema_version: schema_version {}.{} is {} (1.x)", version->first,
                     version->second,
                     version->first > 1 ? "newer than this tool knows" : "not one this tool knows");
}

/// Brings unsigned numbers that the validator would read as negative into its range.
void clamp_numbers(json& value) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{kMost}) {
    value = kMost;
  }
  if (value.is_structured()) {
    for (json& item : value) clamp_numbers(item);
  }
}

/// JSON pointer of a place that the validator tells as "<root>", "[results]", "[3]".
json::json_pointer place_of(const std::vector<std::string>& context) {
  json::json_pointer place;
  for (std::size_t i = 1; i < context.size(); ++i) {
    place.push_back(context[i].substr(1, context[i].size() - 2));
  }
  return place;
}

/// Says in our words what the validator found.
std::string explained(const std::string& description, const json& value) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kWords = {{
      {"Failed to match regex", "does not have the form that the schema asks for"},
      {"Failed to match against any enum", "is not one of the words that the schema allows"},
      {"Failed to match expected value", "is not what the schema asks for here"},
      {"Value type not permitted", "is not of a type that the schema allows here"},
  }};
  for (const auto& [theirs, ours] : kWords) {
    if (description.starts_with(theirs)) return fmt::format("{} {}", shown(value), ours);
  }
  if (description.starts_with("Object contains a property")) {
    const std::size_t key = description.find(": '");
    if (key != std::string::npos) return "unknown key " + printable(description.substr(key + 2));
  }
  return printable(description);
}

/// Names the row that a place lies in, because an index means little to a reader.
std::string row_of(const json& file, const json::json_pointer& place) {
  const std::string text = place.to_string();
  if (!text.starts_with("/results/")) return {};
  const json& row = file.at(json::json_pointer(text.substr(0, text.find('/', 9))));
  if (!row.is_object()) return {};
  return fmt::format(" (case {} on {}, status {})", shown(row.value("case", json())),
                     shown(row.value("device", json())), shown(row.value("status", json())));
}

std::vector<std::string> schema_errors(const json& file) {
  json copy = file;
  clamp_numbers(copy);
  valijson::Validator validator;
  if (validator.validate(schema(), Adapter(copy), nullptr)) return {};
  valijson::ValidationResults results;
  validator.validate(schema(), Adapter(copy), &results);
  std::vector<std::string> errors;
  std::set<std::string> seen;
  for (const auto& error : results) {
    // Each fault is repeated in general words for every object around it.
    if (error.description.starts_with("Failed to validate")) continue;
    const json::json_pointer place = place_of(error.context);
    const std::string line =
        fmt::format("{}: {}{}", printable(place.empty() ? "/" : place.to_string()),
                    explained(error.description, file.contains(place) ? file.at(place) : json()),
                    row_of(file, place));
    if (seen.insert(line).second) errors.push_back(line);
    if (errors.size() > kMaxLines * 10) break;
  }
  if (errors.empty()) errors.push_back("/: does not satisfy the schema");
  return errors;
}

std::vector<std::string> all_errors(const json& file) {
  if (auto reason = foreign(file)) return {*reason};
  std::vector<std::string> errors = schema_errors(file);
  if (errors.empty()) return broken_rules(file);
  const auto version = version_of(file);
  if (version && *version > *parse_version(kSchemaVersion)) {
    errors.insert(
        errors.begin(),
        fmt::format("/schema_version: {}.{} is newer than {} of this tool, which does not "
                    "know all of the file",
                    version->first, version->second, kSchemaVersion));
  }
  return errors;
}

}  // namespace

std::vector<std::string> check_result_text(std::string_view text) {
  const auto parsed = parse_strict_json(text);
  if (const auto* error = std::get_if<JsonError>(&parsed)) return {error->message};
  std::vector<std::string> errors = all_errors(std::get<json>(parsed));
  if (errors.size() > kMaxLines) {
    const std::size_t more = errors.size() - kMaxLines;
    errors.resize(kMaxLines);
    errors.push_back(fmt::format("... and {} more", more));
  }
  return errors;
}

}  // namespace parallax
