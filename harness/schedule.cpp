#include "harness/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace parallax {
namespace {

using Clock = std::chrono::steady_clock;

/// One device that takes part in the rounds of a case.
struct Contender {
  Row* row = nullptr;
  Worker* worker = nullptr;
  bool cpu = false;
  std::vector<double> medians;  ///< of every round, rejected ones included
  [[nodiscard]] bool live() const { return row->outcome.ok(); }
};

/// N, K and the length of the spin, the same for every API of the case.
struct Settings {
  BlockRequest block;
  bool below_resolution = false;
};

std::vector<double> times_of(const std::vector<Sample>& samples, double Sample::*member) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(sample.*member);
  return values;
}

/// Runs a case on its devices: each step of the recipe is one method, in order.
class CaseRun {
 public:
  CaseRun(const PlannedCase& planned, Workers& workers, const Inventory& inventory,
          const SamplingRule& rule, std::uint64_t seed)
      : planned_(planned), workers_(workers), inventory_(inventory), rule_(rule), seed_(seed) {
    for (const PlannedDevice& device : planned.devices) rows_.push_back(new_row(device));
  }

  CaseResult run(bool verify_only) {
    prepare();
    compare_bits();
    if (!verify_only) {
      pilot();
      sample_rounds();
    }
    verify_again();
    CaseResult result;
    if (verify_only) {
      flag_all(std::string(kVerifyOnly));
    } else {
      summarize(result);
    }
    for (Contender& c : contenders_) {
      if (c.worker != nullptr) c.worker->release();
    }
    result.rows = std::move(rows_);
    return result;
  }

 private:
  Row new_row(const PlannedDevice& device) const {
    Row row;
    row.name = planned_.name;
    row.tier = planned_.tier;
    row.api = inventory_.device(device.device).info.api;
    row.device = device.device;
    row.gpu = planned_.gpu;
    row.outcome = device.outcome;
    row.work = planned_.workload->cost(planned_.problem());
    return row;
  }

  void fail(Contender& contender, const Outcome& outcome) {
    contender.row->outcome = outcome;
    if (outcome.device_lost) {
      workers_.give_up(contender.row->device, outcome.reason);
      contender.worker = nullptr;
    } else {
      contender.worker->release();
    }
  }

  void prepare() {
    const Workers::Expected* expected = nullptr;
    for (Row& row : rows_) {
      if (!row.outcome.ok()) continue;
      auto found = workers_.get(row.device);
      if (const auto* outcome = std::get_if<Outcome>(&found)) {
        row.outcome = *outcome;
        continue;
      }
      try {
        if (expected == nullptr) expected = &workers_.expected(planned_, seed_);
      } catch (const std::exception& error) {
        row.outcome = {Status::error,
                       fmt::format("no expected values on this host: {}", error.what())};
        continue;
      }
      Worker* worker = std::get<Worker*>(found);
      const PrepareReply reply = worker->prepare({.name = planned_.name,
                                                  .seed = seed_,
                                                  .expected = expected->random,
                                                  .exact = expected->integers});
      row.timer = worker->clock().source;
      row.kernel = reply.kernel;
      row.group_size = reply.group_size;
      row.groups = reply.groups;
      if (reply.verify.verdict.checked > 0) row.before = reply.verify;
      Contender contender{.row = &row,
                          .worker = worker,
                          .cpu = worker->info().type == DeviceType::cpu,
                          .medians = {}};
      if (!reply.outcome.ok()) {
        fail(contender, reply.outcome);
      } else {
        contenders_.push_back(std::move(contender));
      }
    }
  }

  /// Matched kernels do the same operations in the same order, so their outputs should be equal bit
  /// for bit. What no recorded fact explains is a doubt about the row.
  void compare_bits() {
    if (planned_.tier != Tier::matched || contenders_.empty()) return;
    const Row& base = *contenders_.front().row;
    for (Contender& c : contenders_) {
      Row& row = *c.row;
      if (&row == &base) continue;
      row.bits = {.base = base.device,
                  .equal = row.before->output_digest == base.before->output_digest,
                  .cause = {}};
      if (row.bits->equal) continue;
      const auto fused = row.kernel.fused_fma, base_fused = base.kernel.fused_fma;
      row.bits->cause = likely_cause(row.name.dtype, fused, base_fused);
      if (!expected_to_differ(row.name.dtype, fused, base_fused))
        row.flags.push_back("bits_differ");
    }
  }

  /// Takes one block; on failure the contender's row has the reason and the block is empty.
  std::vector<Sample> take_block(Contender& contender, const BlockRequest& request) {
    const BlockReply reply = contender.worker->block(request);
    if (!reply.outcome.ok()) {
      fail(contender, reply.outcome);
      return {};
    }
    return reply.samples;
  }

  struct Pilot {
    double fastest_ns = 0.0;       ///< shortest time of one run
    double fastest_host_ns = 0.0;  ///< host time of one sample of that API
    double starvation = 0.0;       ///< largest share of a lead-in that handing over took
  };

  Pilot pilot_block(const BlockRequest& request) {
    Pilot pilot;
    for (Contender& c : contenders_) {
      if (!c.live()) continue;
      const std::vector<Sample> samples = take_block(c, request);
      if (samples.empty()) continue;
      const double t_ns = median(times_of(samples, &Sample::t_ns));
      if (pilot.fastest_ns == 0.0 || t_ns < pilot.fastest_ns) {
        pilot.fastest_ns = t_ns;
        pilot.fastest_host_ns = median(times_of(samples, &Sample::host_ns));
      }
      for (const Sample& sample : samples) {
        if (!c.cpu && sample.leadin_ns > 0.0) {
          pilot.starvation = std::max(pilot.starvation, sample.enqueue_ns / sample.leadin_ns);
        }
      }
    }
    return pilot;
  }

  double min_bracket_ns() const {
    double coarsest_ns = 0.0;
    for (const Contender& c : contenders_) {
      if (c.live()) coarsest_ns = std::max(coarsest_ns, c.worker->info().timer.declared_ns);
    }
    return std::max(rule_.min_bracket_ns, rule_.bracket_steps * coarsest_ns);
  }

  void pilot() {
    BlockRequest& block = settings_.block;
    block = {.samples = 3, .discard = 2, .repeats = 1, .lead_in_iterations = 1};
    double quickest_step_ns = 0.0;
    for (const Contender& c : contenders_) {
      const double step_ns = c.worker->clock().spin_step_ns;
      if (quickest_step_ns == 0.0 || step_ns < quickest_step_ns) quickest_step_ns = step_ns;
    }
    if (quickest_step_ns > 0.0) {
      block.lead_in_iterations =
          static_cast<std::uint32_t>(std::ceil(rule_.lead_in_ns / quickest_step_ns));
    }

    constexpr double kLongest = 64.0;  // times the usual one; a host this slow is the row's finding
    longest_lead_in_ = std::min(4e9, kLongest * block.lead_in_iterations);

    // N = 1 pays each API's launch cost in full; the second and third look see the batch.
    Pilot seen;
    for (int look = 0; look < 3; ++look) {
      seen = pilot_block(block);
      if (seen.fastest_ns <= 0.0) return;
      lengthen_lead_in(seen.starvation);
      const double wanted = std::ceil(min_bracket_ns() / seen.fastest_ns);
      const double capped = std::clamp(wanted, 1.0, static_cast<double>(rule_.max_repeats));
      block.repeats = std::max(block.repeats, static_cast<std::uint32_t>(capped));
    }
    settings_.below_resolution = seen.fastest_ns * block.repeats < 0.9 * min_bracket_ns();

    if (seen.fastest_host_ns >= rule_.block_ns) {
      block.samples = 1;
      block.discard = 1;
    } else {
      const double k = std::ceil(rule_.block_ns / seen.fastest_host_ns);
      block.samples = static_cast<std::uint32_t>(
          std::clamp(k, double{1} * rule_.min_samples, double{1} * rule_.max_samples));
    }
  }

  /// Keeps handing over below two thirds of the lead-in, for all APIs alike.
  void lengthen_lead_in(double starvation) {
    if (starvation <= 2.0 / 3.0) return;
    const double wanted = std::ceil(settings_.block.lead_in_iterations * 1.6 * starvation);
    settings_.block.lead_in_iterations =
        static_cast<std::uint32_t>(std::min(wanted, longest_lead_in_));
  }

  [[nodiscard]] bool over_budget() const {
    const std::chrono::duration<double, std::nano> spent = Clock::now() - start_;
    return spent.count() > rule_.case_budget_ns * static_cast<double>(rows_.size());
  }

  void sample_rounds() {
    start_ = Clock::now();
    RoundOrder order(contenders_.size(), seed_);
    // A rejected round is replaced, but not without end.
    const std::uint32_t most = rule_.rounds + rule_.rounds / 2;
    std::uint32_t kept = 0;
    for (std::uint32_t round = 0; round < most && kept < rule_.rounds; ++round) {
      if (over_budget()) {
        flag_all("unconverged");
        break;
      }
      if (sample_round(order.next())) ++kept;
    }
    if (rejected_ * 5 > kept + rejected_) flag_all("unstable");
  }

  /// Takes one block of every live device. Returns whether the round counts.
  bool sample_round(const std::vector<std::size_t>& order) {
    std::uint32_t place = 0;
    std::string reject;
    for (std::size_t index : order) {
      Contender& c = contenders_[index];
      if (!c.live()) continue;
      const BlockReply reply = c.worker->block(settings_.block);
      if (!reply.outcome.ok()) {
        fail(c, reply.outcome);
        continue;
      }
      if (reply.starved && !c.cpu) reject = "starved";
      c.row->rounds.push_back({.t_ns = times_of(reply.samples, &Sample::t_ns),
                               .leadin_ns = times_of(reply.samples, &Sample::leadin_ns),
                               .host_ns = times_of(reply.samples, &Sample::host_ns),
                               .place = place++,
                               .rejected = {}});
      c.medians.push_back(median(c.row->rounds.back().t_ns));
    }
    if (reject.empty()) return true;
    ++rejected_;
    lengthen_lead_in(1.0);  // the pilot saw a quicker host
    for (Contender& c : contenders_) {
      if (c.live() && !c.row->rounds.empty()) c.row->rounds.back().rejected = reject;
    }
    return false;
  }

  void flag_all(const std::string& flag) {
    for (Contender& c : contenders_) c.row->flags.push_back(flag);
  }

  void verify_again() {
    for (Contender& c : contenders_) {
      if (!c.live()) continue;
      // Without timed runs the outputs are still poisoned, and there is nothing new to check.
      if (c.row->rounds.empty()) continue;
      const VerifyReply reply = c.worker->verify();
      if (reply.verdict.checked > 0) c.row->after = reply;
      if (!reply.outcome.ok()) fail(c, reply.outcome);
    }
  }

  /// Medians of the rounds that count, in order.
  static std::vector<double> kept_medians(const Contender& c) {
    std::vector<double> kept;
    for (std::size_t r = 0; r < c.medians.size(); ++r) {
      if (c.row->rounds[r].rejected.empty()) kept.push_back(c.medians[r]);
    }
    if (!kept.empty()) return kept;
    return c.medians;  // flagged unstable; numbers with a doubt beat an empty row
  }

  void summarize(CaseResult& result) {
    const Contender* base = nullptr;
    for (Contender& c : contenders_) {
      Row& row = *c.row;
      row.n = settings_.block.repeats;
      row.mode = row.n == 1 ? "single" : "batch";
      if (!c.live()) {
        row.rounds.clear();
        continue;
      }
      if (c.medians.empty()) {
        row.outcome = {Status::skipped, "the time budget ended before the first round"};
        continue;
      }
      if (settings_.below_resolution) row.flags.push_back("below_resolution");
      summarize_row(c);
      if (row.timer == kHostClock) continue;  // never compared with a device's clock
      if (base == nullptr) {
        base = &c;
        continue;
      }
      if (row.tier == base->row->tier) {
        result.ratios.push_back({.case_name = format_case_name(row.name),
                                 .base = base->row->device,
                                 .device = row.device,
                                 .ratio = paired_ratio(kept_medians(c), kept_medians(*base))});
      }
    }
  }

  static void summarize_row(Contender& c) {
    Row& row = *c.row;
    const std::vector<double> medians = kept_medians(c);
    std::vector<double> all;
    for (const RoundRecord& round : row.rounds) {
      if (round.rejected.empty()) all.insert(all.end(), round.t_ns.begin(), round.t_ns.end());
    }
    if (all.empty()) {
      for (const RoundRecord& round : row.rounds) {
        all.insert(all.end(), round.t_ns.begin(), round.t_ns.end());
      }
    }
    const double median_ns = median(medians);
    row.summary = Summary{.median_ns = median_ns,
                          .ci95_ns = median_ci(medians),
                          .min_ns = *std::ranges::min_element(all),
                          .q1_ns = quantile(all, 0.25),
                          .q3_ns = quantile(all, 0.75),
                          .max_ns = *std::ranges::max_element(all),
                          .rounds = static_cast<std::uint32_t>(medians.size()),
                          .floor_ns = {},
                          .step_ns = {}};
    const double bytes = static_cast<double>(row.work.bytes_read + row.work.bytes_written);
    const double flops = static_cast<double>(row.work.flops);
    row.rates.bytes_per_s = bytes / (median_ns * 1e-9);
    if (row.work.flops > 0) {
      row.rates.flop_per_s = flops / (median_ns * 1e-9);
      row.rates.flop_per_byte = flops / bytes;
    }
  }

  const PlannedCase& planned_;
  Workers& workers_;
  const Inventory& inventory_;
  const SamplingRule& rule_;
  std::uint64_t seed_;
  Clock::time_point start_;
  std::vector<Row> rows_;
  std::vector<Contender> contenders_;
  Settings settings_;
  std::uint32_t rejected_ = 0;
  double longest_lead_in_ = 0.0;  ///< in iterations
};

}  // namespace

SamplingRule sampling_rule(Preset preset) {
  SamplingRule rule;
  switch (preset) {
    case Preset::quick:
      rule.rounds = 10;
      rule.block_ns = 5e6;
      rule.case_budget_ns = 2e9;
      break;
    case Preset::ci:
      rule.rounds = 15;
      break;
    case Preset::standard:
      rule.rounds = 15;
      break;
    case Preset::full:
      rule.rounds = 30;
      break;
  }
  return rule;
}

RoundOrder::RoundOrder(std::size_t devices, std::uint64_t seed) : order_(devices), random_(seed) {
  std::iota(order_.begin(), order_.end(), 0);
}

std::vector<std::size_t> RoundOrder::next() {
  if (order_.empty()) return {};
  // A fresh order every `devices` rounds, turned by one place in between.
  if (round_ % order_.size() == 0) {
    // Fisher-Yates by hand: std::shuffle may differ between standard libraries.
    for (std::size_t i = order_.size() - 1; i > 0; --i)
      std::swap(order_[i], order_[random_() % (i + 1)]);
  } else {
    std::rotate(order_.begin(), order_.begin() + 1, order_.end());
  }
  ++round_;
  return order_;
}

CaseResult run_case(const PlannedCase& planned, Workers& workers, const Inventory& inventory,
                    const SamplingRule& rule, std::uint64_t seed, bool verify_only) {
  return CaseRun(planned, workers, inventory, rule, seed).run(verify_only);
}

}  // namespace parallax
