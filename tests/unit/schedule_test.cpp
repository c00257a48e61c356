#include "harness/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "backends/error.hpp"

namespace parallax {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// --- the order of a round ------------------------------------------------------------------------

TEST(RoundOrder, IsAlwaysAPermutation) {
  for (std::size_t devices : {1u, 2u, 3u, 4u, 7u}) {
    RoundOrder order(devices, 5);
    for (int round = 0; round < 50; ++round) {
      std::vector<std::size_t> indices = order.next();
      std::ranges::sort(indices);
      for (std::size_t i = 0; i < devices; ++i) EXPECT_EQ(indices.at(i), i);
      EXPECT_EQ(indices.size(), devices);
    }
  }
}

TEST(RoundOrder, LetsEachDeviceGoFirstEquallyOftenWithinOne) {
  for (std::size_t devices : {2u, 3u, 4u}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      RoundOrder order(devices, seed);
      std::vector<int> firsts(devices);
      for (int round = 0; round < 40; ++round) {
        ++firsts[order.next().front()];
        const auto [least, most] = std::ranges::minmax(firsts);
        EXPECT_LE(most - least, 1) << devices << " devices, round " << round;
      }
    }
  }
}

TEST(RoundOrder, IsDrawnFromTheSeed) {
  const auto rounds = [](std::uint64_t seed) {
    RoundOrder order(3, seed);
    std::vector<std::vector<std::size_t>> rounds;
    for (int i = 0; i < 30; ++i) rounds.push_back(order.next());
    return rounds;
  };
  EXPECT_EQ(rounds(1), rounds(1));
  std::set<std::vector<std::vector<std::size_t>>> distinct;
  for (std::uint64_t seed = 0; seed < 10; ++seed) distinct.insert(rounds(seed));
  EXPECT_GT(distinct.size(), 8u);
  // All six orders of three devices come up, so no device always follows another.
  const auto many = rounds(3);
  EXPECT_EQ(std::set(many.begin(), many.end()).size(), 6u);
}

TEST(RoundOrder, HasNothingToOrderWithoutDevices) {
  EXPECT_THAT(RoundOrder(0, 1).next(), IsEmpty());
}

// --- workers that do what a test says ------------------------------------------------------------

struct Script {
  DeviceType type = DeviceType::discrete_gpu;
  double t_ns = 1000.0;  ///< of one run
  double spin_step_ns = 1.0;
  double enqueue_ns = 100.0;
  double declared_ns = 1.0;
  std::string clock = "fake_clock";
  PrepareReply prepare{};
  std::map<std::size_t, Outcome> block_outcomes{};  ///< by number of the block, pilots included
  std::set<std::size_t> starved{};                  ///< numbers of blocks
  bool always_starved = false;
  VerifyReply verify{};
  int sleep_ms = 0;
};

/// What a worker was asked for, kept after its death.
struct Record {
  std::vector<PrepareRequest> prepares;
  std::vector<BlockRequest> blocks;
  int verifies = 0;
  int releases = 0;
  int opens = 0;
};

class ScriptedWorker : public Worker {
 public:
  ScriptedWorker(const DeviceInfo& info, const Script& script, Record& record,
                 std::vector<std::string>& sequence)
      : info_(info), script_(script), record_(record), sequence_(sequence) {
    clock_ = {.source = script.clock, .note = {}, .spin_step_ns = script.spin_step_ns};
    ++record_.opens;
  }

  const DeviceInfo& info() const override { return info_; }
  const ClockFacts& clock() const override { return clock_; }

  PrepareReply prepare(const PrepareRequest& request) override {
    record_.prepares.push_back(request);
    PrepareReply reply = script_.prepare;
    reply.verify.verdict = {.ok = true, .metric = "bitwise", .checked = 7, .detail = {}};
    return reply;
  }

  BlockReply block(const BlockRequest& request) override {
    const std::size_t number = record_.blocks.size();
    record_.blocks.push_back(request);
    sequence_.push_back(info_.id);
    std::this_thread::sleep_for(std::chrono::milliseconds(script_.sleep_ms));
    BlockReply reply;
    if (const auto found = script_.block_outcomes.find(number);
        found != script_.block_outcomes.end()) {
      reply.outcome = found->second;
      return reply;
    }
    const double leadin_ns = request.lead_in_iterations * script_.spin_step_ns;
    for (std::uint32_t i = 0; i < request.samples; ++i) {
      reply.samples.push_back({.t_ns = script_.t_ns,
                               .leadin_ns = leadin_ns,
                               .host_ns = leadin_ns + script_.t_ns * request.repeats + 5000.0,
                               .enqueue_ns = script_.enqueue_ns});
    }
    reply.starved = script_.always_starved || script_.starved.contains(number);
    return reply;
  }

  VerifyReply verify() override {
    ++record_.verifies;
    VerifyReply reply = script_.verify;
    reply.verdict.checked = 7;
    reply.verdict.metric = "bitwise";
    reply.verdict.ok = reply.outcome.ok();
    return reply;
  }

  void release() override { ++record_.releases; }

 private:
  DeviceInfo info_;
  Script script_;
  ClockFacts clock_;
  Record& record_;
  std::vector<std::string>& sequence_;
};

class RunCase : public ::testing::Test {
 protected:
  /// Adds a device "<api>:0" of one GPU.
  void add(const std::string& api, const Script& script) {
    DeviceInfo info;
    info.id = api + ":0";
    info.api = api;
    info.type = script.type;
    info.uuid = "aaaaaaaa-0000-0000-0000-000000000001";
    info.timer = {.source = script.clock, .declared_ns = script.declared_ns};
    infos_.push_back(info);
    scripts_[info.id] = script;
    records_[info.id];
  }

  CaseResult run(bool verify_only = false, std::uint64_t n = 7) {
    const Inventory inventory = group_devices(infos_);
    PlannedCase planned{.name = {.workload = "vector_add",
                                 .dtype = Dtype::f32,
                                 .size = {{"n", n}},
                                 .variant = "naive"},
                        .workload = all_workloads().front(),
                        .tier = Tier::matched,
                        .gpu = inventory.gpus.front().id,
                        .devices = {}};
    for (const DeviceInfo& info : infos_) planned.devices.push_back({info.id, {}});
    if (!planned_outcome_.ok()) planned.devices.front().outcome = planned_outcome_;
    return run_case(planned, workers_, inventory, rule_, 3, verify_only);
  }

  std::unique_ptr<Worker> open(const std::string& id) {
    ++asked_[id];
    if (open_fails_ == id) {
      throw DeviceError(DeviceError::Kind::failed, "open()", -1, "REFUSED");
    }
    const auto info = std::ranges::find(infos_, id, &DeviceInfo::id);
    return std::make_unique<ScriptedWorker>(*info, scripts_[id], records_[id], sequence_);
  }

  /// The request of the blocks of the rounds, after checking that all are the same.
  BlockRequest round_request(const std::string& id, std::size_t rounds) {
    const auto& blocks = records_[id].blocks;
    EXPECT_GE(blocks.size(), rounds);
    const BlockRequest last = blocks.back();
    for (std::size_t i = blocks.size() - rounds; i < blocks.size(); ++i) {
      EXPECT_EQ(blocks[i].repeats, last.repeats);
      EXPECT_EQ(blocks[i].samples, last.samples);
      EXPECT_EQ(blocks[i].discard, last.discard);
      EXPECT_EQ(blocks[i].lead_in_iterations, last.lead_in_iterations);
    }
    return last;
  }

  std::vector<DeviceInfo> infos_;
  std::map<std::string, Script> scripts_;
  std::map<std::string, Record> records_;
  std::map<std::string, int> asked_;
  std::vector<std::string> sequence_;
  std::string open_fails_;
  Outcome planned_outcome_;
  SamplingRule rule_;
  Workers workers_{[this](const std::string& id) { return open(id); }};
};

void expect_no_numbers(const Row& row) {
  EXPECT_FALSE(row.summary.has_value());
  EXPECT_FALSE(row.rates.bytes_per_s.has_value());
  EXPECT_FALSE(row.outcome.reason.empty());
}

TEST_F(RunCase, ChoosesNOnTheFastestAndUsesItForAll) {
  add("slow", {.t_ns = 4000.0});
  add("fast", {.t_ns = 1000.0});
  const CaseResult result = run();
  // 200 us, the shortest bracket, over 1 us.
  EXPECT_EQ(round_request("fast:0", 15).repeats, 200u);
  EXPECT_EQ(round_request("slow:0", 15).repeats, 200u);
  ASSERT_EQ(result.rows.size(), 2u);
  for (const Row& row : result.rows) {
    EXPECT_EQ(row.outcome.status, Status::ok) << row.outcome.reason;
    EXPECT_EQ(row.n, 200u);
    EXPECT_EQ(row.mode, "batch");
    EXPECT_EQ(row.l2, "warm");
    EXPECT_EQ(row.rounds.size(), 15u);
  }
}

TEST_F(RunCase, CapsNAndSaysThatTheBracketIsShort) {
  add("a", {.t_ns = 100.0});
  const CaseResult result = run();
  EXPECT_EQ(round_request("a:0", 15).repeats, 512u);
  EXPECT_THAT(result.rows[0].flags, Contains("below_resolution"));
}

TEST_F(RunCase, LastsTwoHundredStepsOfTheCoarsestClock) {
  add("fine", {.t_ns = 4000.0, .declared_ns = 1.0});
  add("coarse", {.t_ns = 5000.0, .declared_ns = 5000.0});
  const CaseResult result = run();
  EXPECT_EQ(round_request("fine:0", 15).repeats, 250u);
  EXPECT_THAT(result.rows[0].flags, Not(Contains("below_resolution")));
}

TEST_F(RunCase, RunsLongCasesOnceASampleAndSaysSo) {
  add("a", {.t_ns = 1e6});
  const CaseResult result = run();
  EXPECT_EQ(result.rows[0].n, 1u);
  EXPECT_EQ(result.rows[0].mode, "single");
}

TEST_F(RunCase, FillsABlockWithSamplesTheSameForAll) {
  add("a", {.t_ns = 1e6});
  add("b", {.t_ns = 3e6});
  run();
  const BlockRequest a = round_request("a:0", 15);
  // A sample of the fastest lasts 1.3 ms on the host, a block at least 25 ms.
  EXPECT_GE(a.samples, 5u);
  EXPECT_GE(a.samples * 1.305e6, 25e6);
  EXPECT_LE(a.samples, 64u);
  EXPECT_EQ(a.discard, 2u);
  EXPECT_EQ(round_request("b:0", 15).samples, a.samples);
}

TEST_F(RunCase, KeepsAtLeastFiveAndAtMost64Samples) {
  add("a", {.t_ns = 10e6});
  run();
  EXPECT_EQ(round_request("a:0", 15).samples, 5u);
}

TEST_F(RunCase, TakesOneSampleOfACaseThatFillsABlockAlone) {
  add("a", {.t_ns = 30e6});
  run();
  const BlockRequest request = round_request("a:0", 15);
  EXPECT_EQ(request.samples, 1u);
  EXPECT_EQ(request.discard, 1u);
}

TEST_F(RunCase, SpinsAsLongAsTheRuleSaysOnEveryApi) {
  add("quick", {.spin_step_ns = 2.0});
  add("slow", {.spin_step_ns = 5.0});
  run();
  const BlockRequest quick = round_request("quick:0", 15);
  EXPECT_GE(quick.lead_in_iterations * 2.0, 300e3);
  EXPECT_LE(quick.lead_in_iterations * 2.0, 330e3);
  EXPECT_EQ(round_request("slow:0", 15).lead_in_iterations, quick.lead_in_iterations);
}

TEST_F(RunCase, LengthensTheLeadInOfAllWhenOneIsNearlyStarved) {
  add("calm", {.enqueue_ns = 100.0});
  add("busy", {.enqueue_ns = 250e3});  // of 300 us
  run();
  const BlockRequest calm = round_request("calm:0", 15);
  EXPECT_GT(calm.lead_in_iterations, 300'000u);
  EXPECT_LE(250e3 / calm.lead_in_iterations, 2.0 / 3.0);
  EXPECT_EQ(round_request("busy:0", 15).lead_in_iterations, calm.lead_in_iterations);
}

TEST_F(RunCase, LeavesTheLeadInOfSoftwareDevicesAlone) {
  add("a", {.type = DeviceType::cpu, .enqueue_ns = 290e3});
  run();
  EXPECT_LE(round_request("a:0", 15).lead_in_iterations, 301'000u);
}

TEST_F(RunCase, RejectsAStarvedRoundForAllAndReplacesIt) {
  Script starving;
  starving.starved = {10};
  add("a", {});
  add("b", starving);
  const CaseResult result = run();
  for (const Row& row : result.rows) {
    EXPECT_EQ(row.outcome.status, Status::ok);
    ASSERT_EQ(row.rounds.size(), 16u);
    const auto rejected = std::ranges::count_if(
        row.rounds, [](const RoundRecord& round) { return round.rejected == "starved"; });
    EXPECT_EQ(rejected, 1);
    EXPECT_EQ(row.summary->rounds, 15u);
    EXPECT_THAT(row.flags, Not(Contains("unstable")));
  }
}

TEST_F(RunCase, KeepsTheNumbersOfARunThatIsAlwaysStarvedWithAFlag) {
  Script starving;
  starving.always_starved = true;
  add("a", starving);
  const CaseResult result = run();
  EXPECT_EQ(result.rows[0].outcome.status, Status::ok);
  EXPECT_TRUE(result.rows[0].summary.has_value());
  EXPECT_THAT(result.rows[0].flags, Contains("unstable"));
  EXPECT_LT(records_["a:0"].blocks.size(), 100u) << "rejected rounds are not replaced without end";
}

TEST_F(RunCase, InterleavesOneBlockOfEachDevicePerRound) {
  add("a", {});
  add("b", {});
  add("c", {});
  const CaseResult result = run();
  ASSERT_GE(sequence_.size(), 45u);
  const std::vector<std::string> rounds(sequence_.end() - 45, sequence_.end());
  std::map<std::string, int> firsts;
  for (std::size_t round = 0; round < 15; ++round) {
    const std::set<std::string> seen(rounds.begin() + static_cast<std::ptrdiff_t>(3 * round),
                                     rounds.begin() + static_cast<std::ptrdiff_t>(3 * round + 3));
    EXPECT_EQ(seen.size(), 3u) << round;
    ++firsts[rounds[3 * round]];
    for (const Row& row : result.rows) {
      EXPECT_EQ(rounds[3 * round + row.rounds[round].place], row.device) << round;
    }
  }
  for (const auto& [id, count] : firsts) EXPECT_EQ(count, 5) << id;
}

TEST_F(RunCase, SummarizesAndComparesWithTheFirst) {
  add("a", {.t_ns = 1000.0});
  add("b", {.t_ns = 1500.0});
  const CaseResult result = run(false, 1000);
  const Row& a = result.rows[0];
  ASSERT_TRUE(a.summary.has_value());
  EXPECT_EQ(a.summary->median_ns, 1000.0);
  ASSERT_TRUE(a.summary->ci95_ns.has_value());
  EXPECT_EQ(a.summary->min_ns, 1000.0);
  EXPECT_EQ(a.summary->max_ns, 1000.0);
  EXPECT_NEAR(a.rates.bytes_per_s.value(), 12000.0 / 1000e-9, 1.0);
  EXPECT_NEAR(a.rates.flop_per_s.value(), 1e9, 1.0);
  EXPECT_EQ(a.work.bytes_read, 8000u);
  EXPECT_EQ(a.timer, "fake_clock");
  ASSERT_EQ(result.ratios.size(), 1u);
  EXPECT_EQ(result.ratios[0].base, "a:0");
  EXPECT_EQ(result.ratios[0].device, "b:0");
  EXPECT_EQ(result.ratios[0].case_name, "vector_add/f32/n=1000/naive");
  EXPECT_NEAR(result.ratios[0].ratio.ratio, 1.5, 1e-12);
  EXPECT_EQ(result.ratios[0].ratio.rounds, 15u);
}

TEST_F(RunCase, NeverComparesHostTimesWithDeviceTimes) {
  add("a", {});
  add("b", {.clock = kHostClock});
  const CaseResult result = run();
  EXPECT_EQ(result.rows[1].outcome.status, Status::ok);
  EXPECT_EQ(result.rows[1].timer, kHostClock);
  EXPECT_THAT(result.ratios, IsEmpty());
}

TEST_F(RunCase, TurnsAFailedBlockIntoARowAndGoesOn) {
  for (Status status : {Status::error, Status::invalid}) {
    infos_.clear();
    records_.clear();
    Script failing;
    failing.block_outcomes[8] = {status, "call() returned -5"};
    const std::string bad = status == Status::error ? "bad1" : "bad2";
    add("a" + bad, {});
    add(bad, failing);
    const CaseResult result = run();
    EXPECT_EQ(result.rows[0].outcome.status, Status::ok);
    EXPECT_EQ(result.rows[0].summary->rounds, 15u);
    EXPECT_EQ(result.rows[1].outcome.status, status);
    EXPECT_THAT(result.rows[1].outcome.reason, HasSubstr("call() returned -5"));
    expect_no_numbers(result.rows[1]);
    EXPECT_EQ(records_[bad + ":0"].blocks.size(), 9u) << "a failed device takes no more blocks";
    EXPECT_THAT(result.ratios, IsEmpty());
  }
}

TEST_F(RunCase, TurnsAFailedPilotIntoARow) {
  Script failing;
  failing.block_outcomes[0] = {Status::error, "first launch failed"};
  add("bad", failing);
  add("b", {});
  const CaseResult result = run();
  EXPECT_EQ(result.rows[0].outcome.status, Status::error);
  expect_no_numbers(result.rows[0]);
  EXPECT_EQ(result.rows[1].outcome.status, Status::ok);
}

TEST_F(RunCase, EndsWithoutNumbersWhenEveryDeviceFails) {
  Script failing;
  failing.block_outcomes[0] = {Status::error, "first launch failed"};
  add("a", failing);
  add("b", failing);
  const CaseResult result = run();
  for (const Row& row : result.rows) {
    EXPECT_EQ(row.outcome.status, Status::error);
    expect_no_numbers(row);
  }
}

TEST_F(RunCase, TimesNothingThatIsNotVerifiedBefore) {
  Script wrong;
  wrong.prepare.outcome = {Status::invalid, "wrong result: 3 of 7 elements differ"};
  Script absent;
  absent.prepare.outcome = {Status::unsupported, "no kernel"};
  add("wrong", wrong);
  add("absent", absent);
  add("ok", {});
  const CaseResult result = run();
  EXPECT_EQ(result.rows[0].outcome.status, Status::invalid);
  EXPECT_EQ(result.rows[1].outcome.status, Status::unsupported);
  EXPECT_EQ(result.rows[2].outcome.status, Status::ok);
  expect_no_numbers(result.rows[0]);
  expect_no_numbers(result.rows[1]);
  EXPECT_THAT(records_["wrong:0"].blocks, IsEmpty());
  EXPECT_THAT(records_["absent:0"].blocks, IsEmpty());
}

TEST_F(RunCase, WithholdsTheNumbersOfAResultThatIsWrongAfterTiming) {  // C09
  Script wrong;
  wrong.verify.outcome = {Status::invalid, "wrong result: 7 of 7 elements differ"};
  add("a", wrong);
  add("b", {});
  const CaseResult result = run();
  EXPECT_EQ(result.rows[0].outcome.status, Status::invalid);
  expect_no_numbers(result.rows[0]);
  EXPECT_EQ(result.rows[1].outcome.status, Status::ok);
  EXPECT_THAT(result.ratios, IsEmpty());
}

TEST_F(RunCase, VerifiesBeforeAndAfter) {
  add("a", {});
  const CaseResult result = run();
  ASSERT_TRUE(result.rows[0].before.has_value());
  ASSERT_TRUE(result.rows[0].after.has_value());
  EXPECT_EQ(result.rows[0].before->verdict.checked, 7u);
  EXPECT_EQ(result.rows[0].after->verdict.checked, 7u);
  EXPECT_EQ(records_["a:0"].verifies, 1);
}

TEST_F(RunCase, GivesAllWorkersTheSameSeedAndExpectedValues) {
  add("a", {});
  add("b", {});
  run();
  const PrepareRequest& a = records_["a:0"].prepares.at(0);
  const PrepareRequest& b = records_["b:0"].prepares.at(0);
  EXPECT_EQ(a.seed, 3u);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.name, b.name);
  ASSERT_NE(a.expected, nullptr);
  EXPECT_EQ(a.expected, b.expected) << "computed once";
}

TEST_F(RunCase, ReleasesWhatItPrepared) {
  add("a", {});
  run();
  EXPECT_GE(records_["a:0"].releases, 1);
}

TEST_F(RunCase, LetsTheWallClockWin) {  // T11
  Script slow;
  slow.sleep_ms = 20;
  add("a", slow);
  rule_.rounds = 1000;
  rule_.case_budget_ns = 200e6;
  const auto start = std::chrono::steady_clock::now();
  const CaseResult result = run();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  EXPECT_LT(spent.count(), 5.0) << "a thousand rounds would last 20 s";
  EXPECT_EQ(result.rows[0].outcome.status, Status::ok);
  EXPECT_THAT(result.rows[0].flags, Contains("unconverged"));
  EXPECT_GE(result.rows[0].rounds.size(), 1u);
  EXPECT_LT(result.rows[0].rounds.size(), 100u);
}

TEST_F(RunCase, GivesUpALostDeviceForEveryLaterCase) {
  Script lost;
  lost.block_outcomes[5] = {Status::error, "device lost in call()", true};
  add("lost", lost);
  add("b", {});
  const CaseResult first = run();
  EXPECT_EQ(first.rows[0].outcome.status, Status::error);
  EXPECT_EQ(first.rows[1].outcome.status, Status::ok);
  const CaseResult second = run();
  EXPECT_EQ(second.rows[0].outcome.status, Status::error);
  EXPECT_THAT(second.rows[0].outcome.reason, HasSubstr("device lost in call()"));
  EXPECT_EQ(second.rows[1].outcome.status, Status::ok);
  EXPECT_EQ(asked_["lost:0"], 1) << "a lost device is not opened again";
  EXPECT_EQ(records_["lost:0"].blocks.size(), 6u);
}

TEST_F(RunCase, GivesUpADeviceThatIsLostWhilePreparing) {
  Script lost;
  lost.prepare.outcome = {Status::error, "device lost in fill()", true};
  add("lost", lost);
  run();
  EXPECT_EQ(run().rows[0].outcome.status, Status::error);
  EXPECT_EQ(records_["lost:0"].prepares.size(), 1u);
}

TEST_F(RunCase, OpensADeviceOnceAndTellsWhyItDoesNot) {
  add("a", {});
  add("b", {});
  open_fails_ = "a:0";
  for (int i = 0; i < 2; ++i) {
    const CaseResult result = run();
    EXPECT_EQ(result.rows[0].outcome.status, Status::error);
    EXPECT_THAT(result.rows[0].outcome.reason, HasSubstr("REFUSED"));
    EXPECT_EQ(result.rows[1].outcome.status, Status::ok);
  }
  EXPECT_EQ(asked_["a:0"], 1);
  EXPECT_EQ(records_["b:0"].opens, 1);
}

TEST_F(RunCase, LeavesAlonePlannedOutDevices) {
  add("a", {});
  add("b", {});
  planned_outcome_ = {Status::unsupported, "buffer a needs 5 bytes, the device allows 4"};
  const CaseResult result = run();
  EXPECT_EQ(result.rows[0].outcome.status, Status::unsupported);
  EXPECT_EQ(result.rows[0].outcome.reason, planned_outcome_.reason);
  EXPECT_THAT(records_["a:0"].prepares, IsEmpty());
  EXPECT_EQ(result.rows[1].outcome.status, Status::ok);
}

TEST_F(RunCase, MeasuresNothingWhenOnlyVerifying) {
  add("a", {});
  const CaseResult result = run(true);
  EXPECT_EQ(result.rows[0].outcome.status, Status::ok);
  EXPECT_THAT(records_["a:0"].blocks, IsEmpty());
  EXPECT_FALSE(result.rows[0].summary.has_value());
  EXPECT_TRUE(result.rows[0].before.has_value());
  EXPECT_THAT(result.rows[0].flags, Contains(std::string(kVerifyOnly)));
}

TEST(SamplingRule, FollowsTheGuide) {
  for (Preset preset : {Preset::standard, Preset::full, Preset::ci, Preset::quick}) {
    const SamplingRule rule = sampling_rule(preset);
    EXPECT_GE(rule.rounds, preset == Preset::quick ? 10u : 15u);
    EXPECT_GE(rule.min_samples, 5u);
    EXPECT_EQ(rule.max_repeats, 512u);
    EXPECT_EQ(rule.bracket_steps, 200.0);
    EXPECT_EQ(rule.min_bracket_ns, 200e3);
    EXPECT_GT(rule.case_budget_ns, 0.0);
  }
  EXPECT_EQ(sampling_rule(Preset::quick).rounds, 10u);
}

}  // namespace
}  // namespace parallax
