#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>

#include "harness/plan.hpp"
#include "harness/worker.hpp"

namespace parallax {

/// What the cases of a run share: workers, opened as cases need them and kept, and the expected
/// values of the last problem, which its variants have in common.
class Workers {
 public:
  using Open = std::function<std::unique_ptr<Worker>(const std::string& device_id)>;
  explicit Workers(Open open) : open_(std::move(open)) {}

  /// The worker of a device, or the reason why it does not open (asked once).
  std::variant<Worker*, Outcome> get(const std::string& device_id);

  /// Closes a device that was lost; every later case on it gets the reason.
  void give_up(const std::string& device_id, const std::string& reason);

  struct Expected {
    std::shared_ptr<const Reference> random;
    std::shared_ptr<const Reference> integers;  ///< null where `random` is compared bitwise
  };

  /// Expected values of a case's problem.
  const Expected& expected(const PlannedCase& planned, std::uint64_t seed);

  /// Clock of every device opened so far.
  [[nodiscard]] std::map<std::string, ClockFacts> clocks() const;

 private:
  struct Entry {
    std::unique_ptr<Worker> worker;
    Outcome outcome;
  };
  Open open_;
  std::map<std::string, Entry> entries_;
  std::string expected_key_;
  Expected expected_;
};

}  // namespace parallax
