#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "harness/plan.hpp"
#include "harness/results.hpp"
#include "harness/workers.hpp"

namespace parallax {

/// How much to sample. K samples make a block, one block of every API a round.
struct SamplingRule {
  std::uint32_t rounds = 15;
  std::uint32_t min_samples = 5;
  std::uint32_t max_samples = 64;
  double block_ns = 25e6;  ///< a block lasts at least this long, up to max_samples
  double min_bracket_ns = 200e3;
  double bracket_steps = 200;       ///< a bracket lasts this many steps of the coarsest clock
  std::uint32_t max_repeats = 512;  ///< deeper queues make the enqueue call itself block
  double lead_in_ns = 300e3;        ///< aim for the shortest lead-in among the APIs
  double case_budget_ns = 10e9;     ///< wall clock per device of a case; always wins
};
SamplingRule sampling_rule(Preset preset);

/// Balanced order: after any number of rounds every device has gone first equally often, within one.
/// The order itself is drawn from the seed.
class RoundOrder {
 public:
  RoundOrder(std::size_t devices, std::uint64_t seed);
  /// Indices of the devices in the order of the next round.
  std::vector<std::size_t> next();

 private:
  std::vector<std::size_t> order_;
  std::mt19937_64 random_;
  std::size_t round_ = 0;
};

struct CaseResult {
  std::vector<Row> rows;  ///< one per planned device, in order
  std::vector<RatioRecord> ratios;
};

/// Prepares one case on all its devices, samples it in rounds and verifies it again.
/// Order:  devices run one after another within a round; never do two have work in flight.
/// Errors: whatever fails on one device becomes the status of its row; the others go on.
CaseResult run_case(const PlannedCase& planned, Workers& workers, const Inventory& inventory,
                    const SamplingRule& rule, std::uint64_t seed, bool verify_only);

}  // namespace parallax
