#include "harness/case_name.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace parallax {
namespace {

Size size_of(std::string_view text) {
  auto parsed = parse_size(text);
  const auto* error = std::get_if<ParseError>(&parsed);
  EXPECT_EQ(error, nullptr) << (error ? error->message : "");
  return error ? Size{} : std::get<Size>(parsed);
}

template <typename T>
std::string error_of(const std::variant<T, ParseError>& parsed) {
  const auto* error = std::get_if<ParseError>(&parsed);
  return error ? error->message : "accepted";
}

TEST(SizeGrammar, ReadsNumbersPowersAndOffsets) {
  EXPECT_EQ(size_of("n=65536"), (Size{{"n", 65536}}));
  EXPECT_EQ(size_of("n=2^24"), (Size{{"n", 16777216}}));
  EXPECT_EQ(size_of("n=2^24+1"), (Size{{"n", 16777217}}));
  EXPECT_EQ(size_of("n=2^24-1"), (Size{{"n", 16777215}}));
  EXPECT_EQ(size_of("n=10^3"), (Size{{"n", 1000}}));
  EXPECT_EQ(size_of("n=7^0"), (Size{{"n", 1}}));
  EXPECT_EQ(size_of("n=1^9999999999"), (Size{{"n", 1}}));
  EXPECT_EQ(size_of("n=0"), (Size{{"n", 0}}));
  EXPECT_EQ(size_of("n=18446744073709551615"), (Size{{"n", ~0ull}}));
  EXPECT_EQ(size_of("n=2^63+9223372036854775807"), (Size{{"n", ~0ull}}));
}

TEST(SizeGrammar, KeepsTheOrderOfDimensions) {
  EXPECT_EQ(size_of("m=4096,n=2^12,k=7"), (Size{{"m", 4096}, {"n", 4096}, {"k", 7}}));
  EXPECT_EQ(format_size(size_of("k=1,a_2=3,m=2")), "k=1,a_2=3,m=2");
}

// Each message names what is wrong and shows the right form.
TEST(SizeGrammar, RefusesBadTexts) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "size '' is empty"},
      {"n", "'n' has no '='"},
      {"65536", "'65536' has no '='"},
      {"n=", "'' is not a whole number"},
      {"=5", "'' is no dimension name"},
      {"n=5,", "a dimension is empty"},
      {",n=5", "a dimension is empty"},
      {"m=1,,n=2", "a dimension is empty"},
      {"n=-1", "'-1' is negative"},
      {"n=2^3-9", "'2^3-9' is negative"},
      {"n=1.5", "'1.5' is not a whole number"},
      {"n=1e6", "'1e6' is not a whole number"},
      {"n=+5", "'+5' is not a whole number"},
      {"n= 5", "' 5' is not a whole number"},
      {"n=5 ", "'5 ' is not a whole number"},
      {"n=0x10", "'0x10' is not a whole number"},
      {"n=2^", "'2^' is not a whole number"},
      {"n=^3", "'^3' is not a whole number"},
      {"n=2^3+", "'2^3+' is not a whole number"},
      {"n=2^3^2", "'2^3^2' is not a whole number"},
      {"n=2^3+1+1", "'2^3+1+1' is not a whole number"},
      {"n=3+1", "'3+1' is not a whole number"},
      {"n=18446744073709551616", "'18446744073709551616' does not fit in 64 bits"},
      {"n=2^64", "'2^64' does not fit in 64 bits"},
      {"n=2^63+9223372036854775808", "does not fit in 64 bits"},
      {"n=99999999999999999999^2", "does not fit in 64 bits"},
      {"n=1,n=2", "'n=2' repeats a dimension"},
      {"n=1,m=2,n=1", "'n=1' repeats a dimension"},
      {"n==5", "'=5' is not a whole number"},
      {"1n=5", "'1n' is no dimension name"},
      {"n-m=5", "'n-m' is no dimension name"},
      {"n/m=5", "'n/m' is no dimension name"},
      {"n\n=5", "'n\\x0a' is no dimension name"},
      {"\xc3\xa4=5", "'\\xc3\\xa4' is no dimension name"},
      {std::string("n=5\0", 4), "'5\\x00' is not a whole number"},
  };
  for (const auto& [text, what] : bad) {
    const std::string message = error_of(parse_size(text));
    EXPECT_NE(message.find(what), std::string::npos) << text << ": " << message;
    EXPECT_NE(message.find("n=65536"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(SizeGrammar, LongTextsMakeShortMessages) {
  EXPECT_LT(error_of(parse_size(std::string(100000, 'x'))).size(), 400u);
  EXPECT_LT(error_of(parse_size("n=" + std::string(100000, '9'))).size(), 400u);
}

TEST(CaseNameGrammar, RoundTrips) {
  for (const char* text : {"vector_add/f32/n=65536/vec4", "gemm/f16/m=1,n=2,k=3/tiled",
                           "reduction/i32/n=0/2stage", "A/f64/x1=18446744073709551615/B_9"}) {
    auto parsed = parse_case_name(text);
    ASSERT_TRUE(std::holds_alternative<CaseName>(parsed)) << error_of(parsed);
    EXPECT_EQ(format_case_name(std::get<CaseName>(parsed)), text);
  }
  const CaseName name = {"gemm", Dtype::f16, {{"m", 1}, {"n", 2}, {"k", 3}}, "tiled"};
  EXPECT_EQ(std::get<CaseName>(parse_case_name(format_case_name(name))), name);
}

TEST(CaseNameGrammar, RefusesBadTexts) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "has 1 parts instead of 4"},
      {"vector_add", "has 1 parts instead of 4"},
      {"vector_add/f32/vec4", "has 3 parts instead of 4"},
      {"vector_add/f32/n=1/vec4/", "has 5 parts instead of 4"},
      {"/f32/n=1/vec4", "'' is no name"},
      {"vector_add/f32/n=1/", "'' is no name"},
      {"vector-add/f32/n=1/vec4", "'vector-add' is no name"},
      {"vector_add/f32/n=1/vec 4", "'vec 4' is no name"},
      {"vector_add/f32/n=1/\"\\", "is no name"},
      {"vector_add/f33/n=1/vec4", "unknown dtype 'f33'"},
      {"vector_add/F32/n=1/vec4", "unknown dtype 'F32'"},
      {"vector_add/f32//vec4", "size '' is empty"},
      {"vector_add/f32/n/vec4", "'n' has no '='"},
      {"vector_add/f32/n=2^24/vec4", "'n=2^24' is spelt n=16777216 here"},
      {"vector_add/f32/n=007/vec4", "'n=007' is spelt n=7 here"},
  };
  for (const auto& [text, what] : bad) {
    const std::string message = error_of(parse_case_name(text));
    EXPECT_NE(message.find(what), std::string::npos) << text << ": " << message;
    EXPECT_NE(message.find("vector_add/f32/n=65536/vec4"), std::string::npos) << message;
  }
}

TEST(SizeGrammar, HasWordsAndNamedSizes) {
  const Size spelt = size_of("n=32,layout=nhwc");
  EXPECT_EQ(spelt, (Size{{"n", 32}, {.name = "layout", .value = 0, .word = "nhwc"}}));
  const Size named = size_of("resnet50_res3_3x3,n=2^5");
  EXPECT_EQ(named, (Size{{.name = "", .value = 0, .word = "resnet50_res3_3x3"}, {"n", 32}}));
  EXPECT_EQ(format_size(named), "resnet50_res3_3x3,n=32");
  EXPECT_TRUE(std::holds_alternative<ParseError>(parse_size("n=32,resnet50_res3_3x3")));
  EXPECT_TRUE(std::holds_alternative<ParseError>(parse_size("n=32,layout=")));
}

TEST(SizeGrammar, DoesNotSpellWhatANameImplies) {
  const Size size = {{.name = "", .value = 0, .word = "layer"},
                     {"n", 1},
                     {.name = "c", .value = 64, .word = {}, .implied = true}};
  EXPECT_EQ(format_size(size), "layer,n=1");
  const CaseName name = {"convolution", Dtype::f16, {{"n", 1}}, "direct"};
  EXPECT_EQ(std::get<CaseName>(parse_case_name("convolution/f16/n=1/direct")), name);
  EXPECT_TRUE(std::holds_alternative<CaseName>(parse_case_name("convolution/i8/layer,n=1/direct")));
}

}  // namespace
}  // namespace parallax
