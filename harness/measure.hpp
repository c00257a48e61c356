#pragma once

#include <span>
#include <variant>

#include "backends/device.hpp"
#include "harness/worker.hpp"

namespace parallax {

/// Spins on the device for a chosen time before every bracket: hides the host's submission time
/// and keeps the clocks up.
class LeadIn {
 public:
  /// Errors: throws DeviceError when the spin kernel cannot be had.
  explicit LeadIn(Device& device);
  /// Launches that together spin for `iterations` steps.
  [[nodiscard]] std::vector<Launch> launches(std::uint32_t iterations) const;

 private:
  std::unique_ptr<Buffer> sink_;
  std::unique_ptr<Kernel> kernel_;
};

/// Decides which clock the device's samples come from and how long one step of the spin lasts.
/// A device without a usable clock (no valid bits, stamps absent or zero twice) gets the host's.
ClockFacts calibrate(Device& device, const LeadIn& lead_in);

/// Takes one sample: THE timed call of the suite, the same for every API.
/// Errors: returns the reason when the number is impossible: not positive, or a bracket longer on
///         the device's clock than on the host's.
std::variant<Sample, Outcome> take_sample(Device& device, const ClockFacts& clock,
                                          const LeadIn& lead_in, std::span<const Launch> launches,
                                          const BlockRequest& request);

}  // namespace parallax
