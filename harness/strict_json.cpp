#include "harness/strict_json.hpp"

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <vector>

#include "harness/results.hpp"

namespace parallax {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxValues = 2'000'000;
constexpr std::size_t kMaxStringBytes = 4 * kMaxTextBytes;  // of UTF-8

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Follows the parser to see what a finished value no longer tells: repeated keys, and depth and
/// count before they have cost memory.
class Watcher {
 public:
  void on(json::parse_event_t event, const json& value) {
    switch (event) {
      case json::parse_event_t::object_start:
      case json::parse_event_t::array_start:
        open(event == json::parse_event_t::array_start);
        break;
      case json::parse_event_t::key:
        enter_key(value.get_ref<const std::string&>());
        break;
      case json::parse_event_t::value:
        if (value.is_string()) check_length(value.get_ref<const std::string&>());
        count();
        step();
        break;
      case json::parse_event_t::object_end:
      case json::parse_event_t::array_end:
        frames_.pop_back();
        step();
        break;
    }
  }

 private:
  struct Frame {
    bool array = false;
    std::size_t index = 0;
    std::string key;
    std::set<std::string> keys;
  };

  void open(bool array) {
    if (frames_.size() == kMaxDepth) refuse(fmt::format("deeper than {} levels", kMaxDepth));
    count();
    frames_.emplace_back().array = array;
  }

  void enter_key(const std::string& key) {
    check_length(key);
    Frame& frame = frames_.back();
    frame.key = key;
    if (!frame.keys.insert(key).second) refuse("the key appears twice");
  }

  void check_length(const std::string& value) {
    if (value.size() > kMaxStringBytes) {
      refuse(fmt::format("a text of {} bytes; at most {}", value.size(), kMaxStringBytes));
    }
  }

  void count() {
    if (++values_ > kMaxValues) refuse(fmt::format("more than {} values", kMaxValues));
  }

  void step() {
    if (!frames_.empty() && frames_.back().array) ++frames_.back().index;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    json::json_pointer place;
    for (const Frame& frame : frames_) {
      if (frame.array) {
        place.push_back(std::to_string(frame.index));
      } else {
        place.push_back(frame.key);
      }
    }
    throw Refused(fmt::format("{}: {}", printable(place.empty() ? "/" : place.to_string()), what));
  }

  std::vector<Frame> frames_;
  std::size_t values_ = 0;
};

/// The library's message without its own label.
std::string_view plain(std::string_view message) {
  const std::size_t end = message.find("] ");
  return message.starts_with("[json.") && end != std::string_view::npos ? message.substr(end + 2)
                                                                        : message;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t kShown = 200;
  std::string shown;
  for (char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  return text.size() > kShown ? shown + "..." : shown;
}

std::variant<json, JsonError> parse_strict_json(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return JsonError{fmt::format("{} bytes are too many; at most {}", text.size(), kMaxBytes)};
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return JsonError{"the text is empty"};
  }
  if (text.starts_with("\xef\xbb\xbf")) {
    return JsonError{"not strict JSON: it starts with a byte order mark"};
  }
  Watcher watcher;
  try {
    return json::parse(text, [&](int /*depth*/, json::parse_event_t event, json& value) {
      watcher.on(event, value);
      return true;
    });
  } catch (const Refused& refused) {
    return JsonError{refused.what()};
  } catch (const json::exception& error) {
    return JsonError{fmt::format("not strict JSON: {}", printable(plain(error.what())))};
  }
}

}  // namespace parallax
