// The worker in this process, on fake devices: what every fault becomes.
#include "harness/worker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/error.hpp"
#include "harness/gbench.hpp"
#include "tests/fake/fake.hpp"
#include "workloads/inputs.hpp"
#include "workloads/workload.hpp"

namespace parallax {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr std::uint64_t kCount = 1021;

PrepareRequest request(std::uint64_t n = kCount, Dtype dtype = Dtype::f32) {
  const Workload& workload = *all_workloads().front();
  const Problem problem{.dtype = dtype, .size = {{"n", n}}};
  const auto specs = workload.buffers(problem);
  return {
      .name = {.workload = "vector_add", .dtype = dtype, .size = problem.size, .variant = "naive"},
      .seed = 1,
      .expected = std::make_shared<const Reference>(
          workload.expected(problem, Fill::random, make_inputs(specs, Fill::random, 1))),
      .exact = nullptr};
}

class LocalWorker : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { initialize_gbench(); }

  Worker& open(const std::string& fields = "") {
    backend_ = fake::make_backend("fake", R"({"devices": [{)" + fields + "}]}");
    worker_ = make_local_worker(*backend_, "fake:0", all_workloads());
    return *worker_;
  }

  /// Opens a device with one fault and prepares vector_add on it.
  PrepareReply prepare(const std::string& fault = "") {
    return open(fault.empty() ? "" : R"("faults": [{)" + fault + "}]").prepare(request());
  }

  static BlockRequest block_request() {
    return {.samples = 5, .discard = 2, .repeats = 3, .lead_in_iterations = 300'000};
  }

  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Worker> worker_;
};

void expect_failed(const Outcome& outcome, Status status, const std::string& words) {
  EXPECT_EQ(outcome.status, status) << outcome.reason;
  EXPECT_THAT(outcome.reason, HasSubstr(words));
  EXPECT_EQ(outcome.reason.find('\n'), std::string::npos) << outcome.reason;
}

TEST_F(LocalWorker, PreparesTimesAndVerifies) {
  const PrepareReply prepared = prepare();
  EXPECT_TRUE(prepared.outcome.ok()) << prepared.outcome.reason;
  EXPECT_TRUE(prepared.verify.verdict.ok);
  EXPECT_EQ(prepared.verify.verdict.checked, kCount);
  EXPECT_EQ(prepared.group_size, (Extent3{256, 1, 1}));
  EXPECT_EQ(prepared.groups, (Extent3{4, 1, 1}));
  EXPECT_EQ(prepared.kernel.registers, 16u);

  const BlockReply block = worker_->block(block_request());
  EXPECT_TRUE(block.outcome.ok()) << block.outcome.reason;
  ASSERT_EQ(block.samples.size(), 5u);
  for (const Sample& sample : block.samples) {
    EXPECT_GT(sample.t_ns, 0.0);
    EXPECT_NEAR(sample.leadin_ns, 300'000.0, 1.0);
    EXPECT_GE(sample.host_ns, sample.leadin_ns + 3 * sample.t_ns);
  }
  EXPECT_FALSE(block.starved);

  const VerifyReply verified = worker_->verify();
  EXPECT_TRUE(verified.outcome.ok()) << verified.outcome.reason;
  EXPECT_EQ(verified.output_digest, prepared.verify.output_digest);
  worker_->release();
  worker_->release();
}

TEST_F(LocalWorker, PreparesEveryDtype) {
  Worker& worker = open();
  for (Dtype dtype : {Dtype::f16, Dtype::f32, Dtype::f64, Dtype::i32}) {
    const PrepareReply reply = worker.prepare(request(7, dtype));
    EXPECT_TRUE(reply.outcome.ok()) << to_string(dtype) << ": " << reply.outcome.reason;
  }
}

TEST_F(LocalWorker, SaysWhenTheDeviceMayHaveStarved) {
  Worker& worker = open(R"("enqueue_ns": 400000)");
  worker.prepare(request());
  EXPECT_TRUE(worker.block(block_request()).starved);
}

// --- wrong results -------------------------------------------------------------------------------

TEST_F(LocalWorker, CatchesAKernelThatSkipsTheLastThird) {  // C01
  const PrepareReply reply =
      prepare(R"("call": "run", "kernel": "^vec", "effect": "skip_last_third")");
  expect_failed(reply.outcome, Status::invalid, "wrong result");
  EXPECT_FALSE(reply.verify.verdict.ok);
  EXPECT_GT(reply.verify.verdict.worst, 0.0);
}

TEST_F(LocalWorker, CatchesASingleWrongBit) {
  const PrepareReply reply = prepare(R"("call": "run", "kernel": "^vec", "effect": "flip_bit")");
  expect_failed(reply.outcome, Status::invalid, "wrong result");
  EXPECT_EQ(reply.verify.verdict.worst, 1.0);
  EXPECT_EQ(reply.verify.verdict.at, 0u);
}

TEST_F(LocalWorker, CatchesAKernelThatDoesNothing) {
  expect_failed(prepare(R"("call": "run", "kernel": "^vec", "effect": "skip")").outcome,
                Status::invalid, "wrong result");
}

TEST_F(LocalWorker, CatchesAWritePastTheEnd) {
  expect_failed(prepare(R"("call": "run", "kernel": "^vec", "effect": "write_past_end")").outcome,
                Status::invalid, "guard");
}

TEST_F(LocalWorker, CatchesAChangedInput) {
  expect_failed(prepare(R"("call": "run", "kernel": "^vec", "effect": "modify_input")").outcome,
                Status::invalid, "input");
}

TEST_F(LocalWorker, CatchesOldOutputsOfAnEarlierCase) {
  // The second preparation runs nothing; the first one's results would still be right.
  Worker& worker =
      open(R"("faults": [{"call": "run", "kernel": "^vec", "nth": 2, "effect": "skip"}])");
  EXPECT_TRUE(worker.prepare(request()).outcome.ok());
  expect_failed(worker.prepare(request()).outcome, Status::invalid, "wrong result");
}

TEST_F(LocalWorker, CatchesTimedRunsThatDoNothing) {  // C09
  const std::string fault =
      R"("call": "run", "kernel": "^vec", "nth": 2, "last": 1000, "effect": "skip")";
  EXPECT_TRUE(prepare(fault).outcome.ok());
  EXPECT_TRUE(worker_->block(block_request()).outcome.ok());
  expect_failed(worker_->verify().outcome, Status::invalid, "wrong result");
}

TEST_F(LocalWorker, CatchesAWrongLastTimedRun) {  // C09
  const std::string fault = R"("call": "run", "kernel": "^vec", "bracketed": true, "nth": 7,
                               "effect": "flip_bit")";
  EXPECT_TRUE(prepare(fault).outcome.ok());
  EXPECT_TRUE(worker_->block(block_request()).outcome.ok());
  expect_failed(worker_->verify().outcome, Status::invalid, "wrong result");
}

// --- failing calls -------------------------------------------------------------------------------

TEST_F(LocalWorker, KeepsARowForAFailedAllocation) {  // S09
  for (int nth : {2, 3, 4}) {                         // the first is the lead-in's
    const PrepareReply reply =
        prepare(R"("call": "allocate", "throw": "out_of_memory", "nth": )" + std::to_string(nth));
    expect_failed(reply.outcome, Status::error, "out of memory");
    EXPECT_TRUE(worker_->prepare(request()).outcome.ok()) << "the next case runs";
  }
}

TEST_F(LocalWorker, SurvivesTheHostsOwnMemoryRunningOut) {
  expect_failed(prepare(R"("call": "read", "throw": "bad_alloc", "nth": 1)").outcome, Status::error,
                "memory");
}

TEST_F(LocalWorker, KeepsOneLineOfABuildLog) {  // O15
  std::string log;
  for (int i = 0; i < 50; ++i) log += "line " + std::to_string(i) + R"(: error\n)";
  const PrepareReply reply = prepare(R"("call": "find_kernel", "kernel": "^vec",
                                        "throw": "build_failed", "log": ")" +
                                     log + '"');
  expect_failed(reply.outcome, Status::error, "fake_find_kernel");
  EXPECT_THAT(reply.outcome.reason, Not(HasSubstr("line 40")));
}

TEST_F(LocalWorker, SaysUnsupportedForAnAbsentKernel) {
  expect_failed(
      prepare(R"("call": "find_kernel", "kernel": "^vec", "absent": "no half here")").outcome,
      Status::unsupported, "no half here");
}

TEST_F(LocalWorker, SaysUnsupportedForAGroupOverTheLimit) {  // S06
  Worker& worker = open(R"("limits": {"max_group_lanes": 128})");
  const PrepareReply reply = worker.prepare(request());
  expect_failed(reply.outcome, Status::unsupported, "256");
  EXPECT_THAT(reply.outcome.reason, HasSubstr("128"));
}

TEST_F(LocalWorker, TellsALostDevice) {
  const PrepareReply reply =
      prepare(R"("call": "run", "kernel": "^vec", "throw": "device_lost", "nth": 1)");
  expect_failed(reply.outcome, Status::error, "fake_run");
  EXPECT_TRUE(reply.outcome.device_lost);
  const PrepareReply failed = prepare(R"("call": "run", "kernel": "^vec", "throw": "failed")");
  EXPECT_FALSE(failed.outcome.device_lost);
}

TEST_F(LocalWorker, EndsABlockAtTheFirstFailedRun) {
  EXPECT_TRUE(prepare(R"("call": "run", "kernel": "^vec", "bracketed": true, "nth": 4,
                         "throw": "failed")")
                  .outcome.ok());
  const BlockReply block = worker_->block(block_request());
  expect_failed(block.outcome, Status::error, "fake_run");
}

TEST_F(LocalWorker, EndsABlockAtTheFirstImpossibleTime) {
  EXPECT_TRUE(prepare(R"("call": "run", "kernel": "^vec", "bracketed": true, "nth": 5,
                         "scale_device": 1000)")
                  .outcome.ok());
  expect_failed(worker_->block(block_request()).outcome, Status::invalid, "");
}

TEST_F(LocalWorker, AnswersBlocksWithoutACase) {
  Worker& worker = open();
  EXPECT_EQ(worker.block(block_request()).outcome.status, Status::error);
  EXPECT_EQ(worker.verify().outcome.status, Status::error);
  worker.release();
}

TEST_F(LocalWorker, HoldsNothingAfterAFailedPreparation) {
  prepare(R"("call": "run", "kernel": "^vec", "effect": "skip", "nth": 1)");
  EXPECT_EQ(worker_->block(block_request()).outcome.status, Status::error);
}

TEST_F(LocalWorker, ThrowsWhenTheDeviceDoesNotOpen) {
  const auto backend = fake::make_backend(
      "fake", R"({"devices": [{"faults": [{"call": "open", "throw": "failed"}]}]})");
  EXPECT_THROW(make_local_worker(*backend, "fake:0", all_workloads()), DeviceError);
}

TEST_F(LocalWorker, ThrowsWhenTheLeadInDoesNotRun) {
  const auto backend = fake::make_backend(
      "fake",
      R"({"devices": [{"faults": [{"call": "run", "kernel": "^spin", "throw": "failed"}]}]})");
  EXPECT_THROW(make_local_worker(*backend, "fake:0", all_workloads()), DeviceError);
}

TEST_F(LocalWorker, TimesByTheHostClockWhenTheDeviceHasNone) {  // T03, T08
  for (const char* fields :
       {R"("timer": {"valid_bits": 0})",
        R"("faults": [{"call": "run", "bracketed": true, "set_device_ns": 0}])"}) {
    Worker& worker = open(fields);
    EXPECT_EQ(worker.clock().source, kHostClock);
    EXPECT_FALSE(worker.clock().note.empty());
    EXPECT_TRUE(worker.prepare(request()).outcome.ok());
    const BlockReply block = worker.block(block_request());
    EXPECT_TRUE(block.outcome.ok()) << block.outcome.reason;
    EXPECT_EQ(block.samples.size(), 5u);
    EXPECT_FALSE(block.starved) << "the host clock has no lead-in to starve behind";
    EXPECT_TRUE(worker.verify().outcome.ok());
  }
}

TEST_F(LocalWorker, GivesEqualDigestsForEqualOutputs) {
  const std::uint64_t one = prepare().verify.output_digest;
  const std::uint64_t other = prepare().verify.output_digest;
  EXPECT_EQ(one, other);
  EXPECT_NE(one, open().prepare(request(kCount - 1)).verify.output_digest);
}

}  // namespace
}  // namespace parallax
