#include "harness/case_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace parallax {
namespace {

constexpr std::string_view kSizeForm =
    "write it as n=65536, n=2^24+1, m=64,n=64 or by a name such as resnet50_res3_3x3";
constexpr std::string_view kNameForm =
    "write it as workload/dtype/size/variant, e.g. vector_add/f32/n=65536/vec4";

// Not isalnum(): what a name may hold must not depend on the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '_';
  });
}

/// Shows a text in a one-line message, whatever bytes it holds.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 80;
  std::string shown = "'";
  for (char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  return shown + (text.size() > kShown ? "...'" : "'");
}

ParseError size_error(std::string_view size, std::string_view part, std::string_view what) {
  return {fmt::format("size {}: {} {}; {}", quoted(size), quoted(part), what, kSizeForm)};
}

/// Value of a text, or what is wrong with it.
using Value = std::variant<std::uint64_t, std::string_view>;
constexpr std::string_view kNoNumber = "is not a whole number";
constexpr std::string_view kTooLarge = "does not fit in 64 bits";

Value parse_number(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return kNoNumber;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return kTooLarge;
  return value;
}

Value power(std::uint64_t base, std::uint64_t exponent) {
  if (base <= 1) return exponent == 0 ? 1 : base;
  std::uint64_t result = 1;
  for (std::uint64_t i = 0; i < exponent; ++i) {
    if (result > std::numeric_limits<std::uint64_t>::max() / base) return kTooLarge;
    result *= base;
  }
  return result;
}

Value parse_power(std::string_view text, std::size_t caret) {
  const std::size_t sign = text.find_first_of("+-", caret);
  const Value base = parse_number(text.substr(0, caret));
  const Value exponent = parse_number(text.substr(caret + 1, sign - caret - 1));
  const Value offset = sign == std::string_view::npos ? Value{std::uint64_t{0}}
                                                      : parse_number(text.substr(sign + 1));
  for (const Value& part : {base, exponent, offset}) {
    if (part.index() == 1) return part;
  }
  const Value whole = power(std::get<0>(base), std::get<0>(exponent));
  if (whole.index() == 1) return whole;
  const std::uint64_t value = std::get<0>(whole);
  const std::uint64_t shift = std::get<0>(offset);
  if (sign != std::string_view::npos && text[sign] == '-') {
    if (shift > value) return std::string_view("is negative");
    return value - shift;
  }
  if (shift > std::numeric_limits<std::uint64_t>::max() - value) return kTooLarge;
  return value + shift;
}

Value parse_value(std::string_view text) {
  if (text.starts_with('-')) return std::string_view("is negative");
  const std::size_t caret = text.find('^');
  return caret == std::string_view::npos ? parse_number(text) : parse_power(text, caret);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::variant<Dim, ParseError> parse_dim(std::string_view size, std::string_view part) {
  if (part.empty()) {
    return ParseError{fmt::format("size {}: a dimension is empty; {}", quoted(size), kSizeForm)};
  }
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos) {
    const bool first = part.data() == size.data();
    if (first && is_word(part) && part.size() > 1 && is_letter(part.front())) {
      return Dim{.name = {}, .word = std::string(part)};
    }
    return size_error(size, part, "has no '='");
  }
  const std::string_view name = part.substr(0, equals);
  const std::string_view value = part.substr(equals + 1);
  if (!is_word(name) || !is_letter(name.front())) {
    return size_error(size, name, "is no dimension name (letters, digits, '_')");
  }
  if (is_word(value) && is_letter(value.front())) {
    return Dim{.name = std::string(name), .word = std::string(value)};
  }
  const Value number = parse_value(value);
  if (number.index() == 1) return size_error(size, value, std::get<1>(number));
  return Dim{.name = std::string(name), .value = std::get<0>(number)};
}

ParseError name_error(std::string_view name, std::string_view what) {
  return {fmt::format("case name {}: {}; {}", quoted(name), what, kNameForm)};
}

}  // namespace

std::string format_size(const Size& size) {
  std::string text;
  for (const Dim& dim : size) {
    if (dim.implied) continue;
    if (!text.empty()) text += ',';
    if (!dim.name.empty()) text += dim.name + '=';
    text += dim.word.empty() ? fmt::format("{}", dim.value) : dim.word;
  }
  return text;
}

std::string format_case_name(const CaseName& name) {
  return fmt::format("{}/{}/{}/{}", name.workload, to_string(name.dtype), format_size(name.size),
                     name.variant);
}

std::variant<Size, ParseError> parse_size(std::string_view text) {
  if (text.empty()) return ParseError{fmt::format("size '' is empty; {}", kSizeForm)};
  Size size;
  for (std::string_view part : split(text, ',')) {
    auto dim = parse_dim(text, part);
    if (auto* error = std::get_if<ParseError>(&dim)) return std::move(*error);
    auto& parsed = std::get<Dim>(dim);
    for (const Dim& earlier : size) {
      if (earlier.name == parsed.name) return size_error(text, part, "repeats a dimension");
    }
    size.push_back(std::move(parsed));
  }
  return size;
}

std::variant<CaseName, ParseError> parse_case_name(std::string_view text) {
  const auto parts = split(text, '/');
  if (parts.size() != 4) {
    return name_error(text, fmt::format("has {} parts instead of 4", parts.size()));
  }
  for (std::string_view word : {parts[0], parts[1], parts[3]}) {
    if (!is_word(word)) {
      return name_error(text, fmt::format("{} is no name (letters, digits, '_')", quoted(word)));
    }
  }
  const auto dtype = parse_dtype(parts[1]);
  if (!dtype) return name_error(text, fmt::format("unknown dtype {}", quoted(parts[1])));
  auto size = parse_size(parts[2]);
  if (auto* error = std::get_if<ParseError>(&size)) return name_error(text, error->message);
  // A case has one spelling, because names are keys of rows.
  const std::string spelt = format_size(std::get<Size>(size));
  if (spelt != parts[2]) {
    return name_error(text, fmt::format("{} is spelt {} here", quoted(parts[2]), spelt));
  }
  return CaseName{.workload = std::string(parts[0]),
                  .dtype = *dtype,
                  .size = std::get<Size>(std::move(size)),
                  .variant = std::string(parts[3])};
}

}  // namespace parallax
