#include "harness/status.hpp"

namespace parallax {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::unsupported:
      return "unsupported";
    case Status::skipped:
      return "skipped";
    case Status::invalid:
      return "invalid";
    case Status::error:
      break;
  }
  return "error";
}

}  // namespace parallax
