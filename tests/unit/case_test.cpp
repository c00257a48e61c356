// What checking a case finds beside wrong elements: writes to where nothing belongs.
#include "harness/case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "harness/case_name.hpp"
#include "harness/gbench.hpp"
#include "tests/fake/fake.hpp"
#include "workloads/inputs.hpp"

namespace parallax {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A fake device whose every run is followed by a change of one of the launch's buffers.
class Meddler : public Device {
 public:
  using Change = std::function<void(std::span<std::byte>)>;
  Meddler(std::unique_ptr<Device> device, std::size_t buffer, Change change)
      : device_(std::move(device)), buffer_(buffer), change_(std::move(change)) {}

  const DeviceInfo& info() const override { return device_->info(); }
  std::unique_ptr<Buffer> allocate(std::uint64_t size_bytes) override {
    return device_->allocate(size_bytes);
  }
  KernelOrReason find_kernel(std::string_view name, Extent3 group_size) override {
    return device_->find_kernel(name, group_size);
  }
  Timing write(Buffer& buffer, std::span<const std::byte> bytes) override {
    return device_->write(buffer, bytes);
  }
  Timing read(const Buffer& buffer, std::span<std::byte> bytes) override {
    return device_->read(buffer, bytes);
  }
  Timing fill(Buffer& buffer, std::uint32_t pattern) override {
    return device_->fill(buffer, pattern);
  }
  Timing run(std::span<const Launch> lead_in, std::span<const Launch> launches,
             std::uint32_t repeats) override {
    const Timing timing = device_->run(lead_in, launches, repeats);
    Buffer& buffer = *launches.back().buffers.at(buffer_);
    Bytes bytes(buffer.size_bytes());
    device_->read(buffer, bytes);
    change_(bytes);
    device_->write(buffer, bytes);
    return timing;
  }

 private:
  std::unique_ptr<Device> device_;
  std::size_t buffer_;
  Change change_;
};

const Workload& workload_of(const CaseName& name) {
  return **std::ranges::find(all_workloads(), name.workload, &Workload::name);
}

/// A request with the reference of both fills.
PrepareRequest request(const char* case_name) {
  const CaseName name = std::get<CaseName>(parse_case_name(case_name));
  const Workload& workload = workload_of(name);
  const Problem problem{.dtype = name.dtype, .size = name.size};
  const auto specs = workload.buffers(problem);
  const auto expected = [&](Fill fill) {
    return std::make_shared<const Reference>(
        workload.expected(problem, fill, make_inputs(specs, fill, 1)));
  };
  return {.name = name,
          .seed = 1,
          .expected = expected(Fill::random),
          .exact = expected(Fill::integers)};
}

/// Runs a case once with a change of buffer `buffer` of its last launch after the run.
VerifyReply check(const char* case_name, std::size_t buffer, const Meddler::Change& change,
                  Fill fill = Fill::random) {
  const PrepareRequest asked = request(case_name);
  const auto backend = fake::make_backend("fake", R"({"devices": [{}]})");
  Meddler device(backend->open("fake:0"), buffer, change);
  Case one_case(device, workload_of(asked.name), asked);
  one_case.load(fill);
  one_case.poison_outputs();
  one_case.run_once();
  return one_case.verify();
}

void expect_invalid(const VerifyReply& reply, const std::string& reason) {
  EXPECT_EQ(reply.outcome.status, Status::invalid);
  EXPECT_EQ(reply.outcome.reason, reason);
}

/// Overwrites one element of f32.
Meddler::Change overwrite(std::size_t element) {
  return [=](std::span<std::byte> bytes) {
    const float value = 1.0f;
    std::memcpy(bytes.data() + element * sizeof value, &value, sizeof value);
  };
}

// C is 5 x 3 with a pitch of 4: element 11 is the padding of row 2.
constexpr const char* kGemm = "gemm/f32/m=5,n=3,k=7/naive";

TEST(Case, AcceptsARightResult) {
  for (Fill fill : {Fill::random, Fill::integers}) {
    for (const char* name : {kGemm, "reduction/f32/n=1021/tree", "vector_add/i32/n=7/vec4"}) {
      const VerifyReply reply = check(
          name, 0, [](auto) {}, fill);
      EXPECT_TRUE(reply.outcome.ok()) << reply.outcome.reason;
    }
  }
}

TEST(Case, NamesRowAndBufferOfAnOutputWhosePaddingWasWritten) {
  expect_invalid(check(kGemm, 2, overwrite(11)),
                 "wrong result: the padding of row 2 of buffer c was overwritten");
  expect_invalid(check(kGemm, 2, overwrite(3)),
                 "wrong result: the padding of row 0 of buffer c was overwritten");
  expect_invalid(check(kGemm, 2, overwrite(19)),
                 "wrong result: the padding of row 4 of buffer c was overwritten");
  // The elements themselves are right: the verdict stays, the status is what the padding makes it.
  EXPECT_TRUE(check(kGemm, 2, overwrite(11)).verdict.ok);
}

TEST(Case, SeesOneByteOfPadding) {
  const auto last_byte_of_row_3 = [](std::span<std::byte> bytes) { bytes[63] ^= std::byte{1}; };
  expect_invalid(check(kGemm, 2, last_byte_of_row_3),
                 "wrong result: the padding of row 3 of buffer c was overwritten");
  // One column of i8 gives one of i32, whose padding is three elements.
  expect_invalid(check("gemm/i8/m=2,n=1,k=5/naive", 2,
                       [](std::span<std::byte> bytes) { bytes[31] ^= std::byte{0x80}; }),
                 "wrong result: the padding of row 1 of buffer c was overwritten");
}

TEST(Case, ChecksThePaddingOfScratchBuffersToo) {
  // 257 elements give two sums, of four elements in the buffer.
  expect_invalid(check("reduction/f32/n=257/tree", 0, overwrite(3)),
                 "wrong result: the padding of row 0 of buffer partials was overwritten");
}

TEST(Case, LetsKernelsWriteThePaddingWhereTheWorkloadSaysSo) {
  const VerifyReply reply = check("vector_add/f32/n=7/naive", 2, overwrite(7));
  EXPECT_TRUE(reply.outcome.ok()) << reply.outcome.reason;
}

TEST(Case, NamesTheBufferWhoseGuardWasWritten) {
  for (const auto& [buffer, name] : {std::pair{0, "a"}, {1, "b"}, {2, "c"}}) {
    const auto last = [](std::span<std::byte> bytes) { bytes.back() ^= std::byte{1}; };
    const std::string reason =
        std::string("wrong result: the guard behind buffer ") + name + " was overwritten";
    expect_invalid(check(kGemm, static_cast<std::size_t>(buffer), last), reason);
  }
}

TEST(Case, NamesTheInputThatWasWrittenPaddingIncluded) {
  // A is 5 x 7 with a pitch of 8.
  for (std::size_t element : {0u, 7u, 39u}) {
    expect_invalid(check(kGemm, 0, overwrite(element)), "wrong result: input a was overwritten");
  }
  expect_invalid(check(kGemm, 1, overwrite(2)), "wrong result: input b was overwritten");
}

TEST(Case, TellsOfWrongElementsBeforeStrayWrites) {
  const VerifyReply reply =
      check(kGemm, 2, [](std::span<std::byte> bytes) { std::ranges::fill(bytes, std::byte{0}); });
  EXPECT_EQ(reply.outcome.status, Status::invalid);
  EXPECT_THAT(reply.outcome.reason, StartsWith("wrong result: scaled error"));
}

TEST(Case, SaysWhenTheInputsWereIntegers) {
  const auto next = [](std::span<std::byte> bytes) { bytes[0] ^= std::byte{1}; };
  // A last bit is well within the limits, but sums of small integers are exact.
  EXPECT_TRUE(check(kGemm, 2, next).outcome.ok());
  const VerifyReply reply = check(kGemm, 2, next, Fill::integers);
  EXPECT_EQ(reply.outcome.status, Status::invalid);
  EXPECT_THAT(reply.outcome.reason, StartsWith("wrong result with integers as inputs: 1 of 15 "
                                               "elements differ; element 0 is "));
  EXPECT_EQ(reply.verdict.metric, "bitwise");
  EXPECT_THAT(check(kGemm, 2, overwrite(0)).outcome.reason, Not(HasSubstr("integers")));
}

TEST(Case, TakesAnUnwrittenOutputForWrong) {
  for (Fill fill : {Fill::random, Fill::integers}) {
    const PrepareRequest asked = request(kGemm);
    const auto backend = fake::make_backend("fake", R"({"devices": [{}]})");
    const auto device = backend->open("fake:0");
    Case one_case(*device, workload_of(asked.name), asked);
    one_case.load(fill);
    one_case.run_once();
    one_case.poison_outputs();
    EXPECT_EQ(one_case.verify().outcome.status, Status::invalid);
  }
}

TEST(Case, GivesDigestsOfTheElementsOnly) {
  const auto digest_after = [](const Meddler::Change& change) {
    return check("vector_add/f32/n=7/naive", 2, change).output_digest;
  };
  EXPECT_EQ(digest_after([](auto) {}), digest_after(overwrite(7)));
  EXPECT_NE(digest_after([](auto) {}), digest_after(overwrite(6)));
}

/// The worker checks with integers first, and again with the data that is timed.
class CheckedTwice : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { initialize_gbench(); }

  static PrepareReply prepare(const char* nth) {
    const auto backend = fake::make_backend(
        "fake",
        std::string(R"({"devices": [{"faults": [{"call": "run", "kernel": "^gemm", "nth": )") +
            nth + R"(, "effect": "flip_bit"}]}]})");
    return make_local_worker(*backend, "fake:0", all_workloads())->prepare(request(kGemm));
  }
};

TEST_F(CheckedTwice, FindsWhatIntegersAloneShow) {
  const PrepareReply reply = prepare("1");
  EXPECT_EQ(reply.outcome.status, Status::invalid);
  EXPECT_THAT(reply.outcome.reason, StartsWith("wrong result with integers as inputs: "));
  EXPECT_EQ(reply.verify.verdict.metric, "bitwise");
}

TEST_F(CheckedTwice, ReportsTheCheckOfRandomDataWhenBothPass) {
  const PrepareReply reply = prepare("100");
  EXPECT_TRUE(reply.outcome.ok()) << reply.outcome.reason;
  EXPECT_EQ(reply.verify.verdict.metric, "scaled_error");
  EXPECT_EQ(reply.verify.verdict.checked, 15u);
}

}  // namespace
}  // namespace parallax
