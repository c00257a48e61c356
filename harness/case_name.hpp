#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "workloads/workload.hpp"

namespace parallax {

/// Name of a case: "workload/dtype/size/variant", as in "vector_add/f32/n=65536/vec4". A size is
/// "name=value" pairs joined by commas, where a value is a number or a word (layout=nhwc) and the
/// first part may be the name of a size: "resnet50_res3_3x3,n=32,layout=nhwc". One grammar: letters,
/// digits, '_', '=', ',' between '/'.
struct CaseName {
  std::string workload;
  Dtype dtype = Dtype::f32;
  Size size;
  std::string variant;
  friend bool operator==(const CaseName&, const CaseName&) = default;
};

/// Writes a size as the case name spells it, "n=65536", without implied dimensions.
std::string format_size(const Size& size);

/// Writes a case name. parse_case_name() gives it back.
std::string format_case_name(const CaseName& name);

/// One line on what is wrong with a text.
struct ParseError {
  std::string message;
};

/// Reads "n=65536". A value is a word or a whole number or a power with an optional offset: "2^24",
/// "2^24+1", "2^24-1". Zero is a number here; workloads refuse it.
/// Order:  dimensions keep the order of the text; Workload::complete() knows which there are and
///         what a named size implies.
/// Errors: returns one line that names the offending text and the right form.
std::variant<Size, ParseError> parse_size(std::string_view text);

/// Reads a case name, in the one spelling that format_case_name() gives: no powers, no leading
/// zeros. Whether its workload and variant exist is not checked.
std::variant<CaseName, ParseError> parse_case_name(std::string_view text);

}  // namespace parallax
