#include "backends/vulkan/spirv.hpp"

#include <cstring>
#include <unordered_map>

namespace parallax::vulkan {
namespace {

using Words = std::span<const std::uint32_t>;

// Numbers from the SPIR-V specification, section 3.42.
enum Op : std::uint32_t {
  kOpCapability = 17,
  kOpTypeBool = 20,
  kOpTypeInt = 21,
  kOpTypeFloat = 22,
  kOpTypeVector = 23,
  kOpTypeMatrix = 24,
  kOpTypeArray = 28,
  kOpTypeStruct = 30,
  kOpTypePointer = 32,
  kOpConstant = 43,
  kOpSpecConstant = 50,
  kOpVariable = 59
};
constexpr std::uint32_t kWorkgroup = 4;

/// Calls visit(op, words) for every instruction; words[0] holds the length and the operation.
template <typename Visit>
void for_each_instruction(Words module, Visit visit) {
  constexpr std::size_t kHeaderWords = 5;
  for (std::size_t at = kHeaderWords; at < module.size();) {
    const std::size_t length = module[at] >> 16;
    if (length == 0 || length > module.size() - at) return;
    visit(module[at] & 0xffffu, module.subspan(at, length));
    at += length;
  }
}

/// Collects sizes by id, in the order of the module: a type follows what it is made of.
struct Sizes {
  std::unordered_map<std::uint32_t, std::uint64_t> type_bytes;  ///< of a pointer: what it points to
  std::unordered_map<std::uint32_t, std::uint32_t> constants;
  std::uint64_t shared = 0;

  void visit(std::uint32_t op, Words words) {
    const auto word = [&](std::size_t i) { return i < words.size() ? words[i] : 0; };
    switch (op) {
      case kOpTypeBool:
        type_bytes[word(1)] = 4;
        break;
      case kOpTypeInt:
      case kOpTypeFloat:
        type_bytes[word(1)] = word(2) / 8;
        break;
      case kOpTypeVector:
      case kOpTypeMatrix:
        type_bytes[word(1)] = type_bytes[word(2)] * word(3);
        break;
      case kOpTypeArray:
        type_bytes[word(1)] = type_bytes[word(2)] * constants[word(3)];
        break;
      case kOpTypeStruct:
        for (const std::uint32_t member : words.subspan(2)) {
          type_bytes[word(1)] += type_bytes[member];
        }
        break;
      case kOpTypePointer:
        type_bytes[word(1)] = type_bytes[word(3)];
        break;
      case kOpConstant:
      case kOpSpecConstant:
        constants[word(2)] = word(3);
        break;
      case kOpVariable:
        if (word(3) == kWorkgroup) shared += type_bytes[word(1)];
        break;
      default:
        break;
    }
  }
};

}  // namespace

std::vector<std::uint32_t> spirv_words(const DeviceCode& code) {
  std::vector<std::uint32_t> words(code.bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), code.bytes.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

std::vector<std::uint32_t> declared_capabilities(Words module) {
  std::vector<std::uint32_t> capabilities;
  for_each_instruction(module, [&](std::uint32_t op, Words words) {
    if (op == kOpCapability && words.size() == 2) capabilities.push_back(words[1]);
  });
  return capabilities;
}

std::uint64_t shared_bytes(Words module) {
  Sizes sizes;
  for_each_instruction(module, [&](std::uint32_t op, Words words) { sizes.visit(op, words); });
  return sizes.shared;
}

}  // namespace parallax::vulkan
