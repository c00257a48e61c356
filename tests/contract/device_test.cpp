// Buffers, kernels, arguments and ordering, on every device. Timing is in timing_test.cpp.
#include <algorithm>
#include <string>

#include "backends/error.hpp"
#include "tests/contract/devices.hpp"
#include "workloads/inputs.hpp"
#include "workloads/workload.hpp"

namespace parallax {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr Extent3 kLanes = {.x = 64, .y = 1, .z = 1};

std::vector<std::uint32_t> random_words(std::size_t count, std::uint32_t stream) {
  std::vector<std::uint32_t> words(count);
  fill_input(Dtype::i32, Fill::random, 1, stream, std::as_writable_bytes(std::span(words)));
  return words;
}

Extent3 groups_for(std::size_t lanes) { return spread_groups((lanes + kLanes.x - 1) / kLanes.x); }

// --- copies ------------------------------------------------------------------------------------

class CopiesOn : public OnDevice {};

TEST_P(CopiesOn, GiveBackWhatWasWrittenAtAnySize) {
  // 64 MiB + 12 is more than a staging buffer, and no multiple of one.
  for (std::uint64_t size : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{4}, std::uint64_t{5},
                             std::uint64_t{4095}, kMiB, 64 * kMiB + 12}) {
    std::vector<std::byte> written(size);
    fill_input(Dtype::f16, Fill::random, size, 0, std::span(written).first(size / 2 * 2));
    written.back() = std::byte{0xa5};
    auto buffer = device_->allocate(size);
    EXPECT_EQ(buffer->size_bytes(), size);
    device_->write(*buffer, written);
    std::vector<std::byte> read(size, std::byte{0x11});
    device_->read(*buffer, read);
    EXPECT_TRUE(read == written) << size << " bytes";
  }
}

TEST_P(CopiesOn, ReplaceTheWholeBuffer) {
  auto buffer = upload(random_words(1000, 0));
  const auto second = random_words(1000, 1);
  device_->write(*buffer, std::as_bytes(std::span(second)));
  EXPECT_EQ(download<std::uint32_t>(*buffer), second);
}

TEST_P(CopiesOn, LeaveOtherBuffersAlone) {
  const auto words = random_words(1021, 0);
  auto before = upload(words);
  auto filled = device_->allocate(4 * 1021);
  auto after = upload(words);
  device_->fill(*filled, 0xdeadbeef);
  EXPECT_EQ(download<std::uint32_t>(*before), words);
  EXPECT_EQ(download<std::uint32_t>(*after), words);
}

TEST_P(CopiesOn, RepeatThePatternOverTheWholeBuffer) {
  for (std::uint64_t size :
       {std::uint64_t{4}, std::uint64_t{12}, std::uint64_t{4 * 1021}, 64 * kMiB + 12}) {
    auto buffer = device_->allocate(size);
    device_->fill(*buffer, 0x01020304);
    device_->fill(*buffer, 0xfffbfffb);
    const auto words = download<std::uint32_t>(*buffer);
    EXPECT_EQ(std::ranges::count(words, 0xfffbfffb), static_cast<std::ptrdiff_t>(size / 4)) << size;
  }
}

TEST_P(CopiesOn, RefuseOtherSizesThanTheBuffers) {
  auto buffer = device_->allocate(64);
  std::vector<std::byte> bytes(65);
  for (std::size_t size : {0u, 63u, 65u}) {
    EXPECT_THROW(device_->write(*buffer, std::span(bytes).first(size)), std::invalid_argument);
    EXPECT_THROW(device_->read(*buffer, std::span(bytes).first(size)), std::invalid_argument);
  }
}

TEST_P(CopiesOn, RefuseToFillPartsOfWords) {
  for (std::uint64_t size : {1, 2, 3, 5, 1021}) {
    EXPECT_THROW(device_->fill(*device_->allocate(size), 0), std::invalid_argument) << size;
  }
}

TEST_P(CopiesOn, TakePositiveHostTime) {
  auto buffer = upload(random_words(kMiB / 4, 0));
  std::vector<std::byte> bytes(kMiB);
  EXPECT_GT(device_->write(*buffer, bytes).host_ns, 0.0);
  EXPECT_GT(device_->read(*buffer, bytes).host_ns, 0.0);
  EXPECT_GT(device_->fill(*buffer, 1).host_ns, 0.0);
}

// --- memory ------------------------------------------------------------------------------------

class MemoryOn : public OnDevice {
 protected:
  void expect_usable() {
    const auto words = random_words(1000, 7);
    EXPECT_EQ(download<std::uint32_t>(*upload(words)), words)
        << "the device is not usable any more";
  }
};

TEST_P(MemoryOn, OverTheLimitThrowsOrIsGivenAndTheDeviceLivesOn) {
  const Limits& limits = info().limits;
  for (std::uint64_t size : {limits.max_buffer_bytes + kMiB, 2 * limits.memory_bytes + 12}) {
    try {
      EXPECT_EQ(device_->allocate(size)->size_bytes(), size);
    } catch (const DeviceError& error) {
      EXPECT_NE(error.kind(), DeviceError::Kind::device_lost) << error.what();
      EXPECT_NE(error.kind(), DeviceError::Kind::build_failed) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
    expect_usable();
  }
}

TEST_P(MemoryOn, OfZeroBytesIsRefusedAlikeByAllApis) {  // S08
  EXPECT_THROW(device_->allocate(0), std::invalid_argument);
  expect_usable();
}

TEST_P(MemoryOn, RunsOutWithAnErrorOfThatKind) {
  if (info().type == DeviceType::cpu) {
    GTEST_SKIP() << "its memory is the machine's own; using it up would end other programs";
  }
  const std::uint64_t each =
      std::min(info().limits.max_buffer_bytes, info().limits.memory_bytes / 4);
  std::vector<std::unique_ptr<Buffer>> held;
  try {
    // Drivers that give memory at first use are made to by the fill.
    const std::uint64_t enough = info().limits.memory_bytes / each + 2;
    for (std::uint64_t i = 0; i < enough; ++i) {
      held.push_back(device_->allocate(each / 4 * 4));
      device_->fill(*held.back(), 1);
    }
    ADD_FAILURE() << enough << " buffers of " << each << " bytes on a device with "
                  << info().limits.memory_bytes;
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.kind(), DeviceError::Kind::out_of_memory) << error.what();
  }
  held.clear();
  expect_usable();
}

TEST_P(MemoryOn, IsGivenBack) {
  // Sixteen times a quarter of a GiB, one after another, does not fit if buffers are kept.
  for (int i = 0; i < 16; ++i) {
    auto buffer = device_->allocate(std::min(256 * kMiB, info().limits.max_buffer_bytes / 4 * 4));
    if (i % 8 == 0) device_->fill(*buffer, static_cast<std::uint32_t>(i));
  }
  expect_usable();
}

// --- kernels -----------------------------------------------------------------------------------

class KernelsOn : public OnDevice {};

TEST_P(KernelsOn, AreAbsentWithAReasonWhenThereIsNone) {
  for (const char* name : {"no_such/naive/f32", "vector_add/no_such/f32", "vector_add/naive/u7",
                           "vector_add", "", "spin/spin"}) {
    const KernelOrReason found = device_->find_kernel(name, kLanes);
    const auto* absent = std::get_if<Absent>(&found);
    ASSERT_NE(absent, nullptr) << name;
    EXPECT_FALSE(absent->reason.empty());
    EXPECT_EQ(absent->reason.find('\n'), std::string::npos) << absent->reason;
  }
}

TEST_P(KernelsOn, AreAbsentWithBothNumbersWhenTheGroupIsOverTheLimit) {  // S06
  const std::uint64_t limit = info().limits.max_group_lanes;
  ASSERT_GT(limit, 0u) << "every API publishes it";
  const auto lanes = static_cast<std::uint32_t>(2 * limit);
  const KernelOrReason found = device_->find_kernel("vector_add/naive/f32", {.x = lanes});
  const auto* absent = std::get_if<Absent>(&found);
  ASSERT_NE(absent, nullptr);
  EXPECT_NE(absent->reason.find(std::to_string(lanes)), std::string::npos) << absent->reason;
  EXPECT_NE(absent->reason.find(std::to_string(limit)), std::string::npos) << absent->reason;
}

TEST_P(KernelsOn, AgreeWithWhatTheBackendKnowsOfTheBuild) {
  Backend* backend = backend_of(api_of(GetParam()));
  for (const char* name : {"selftest/arguments/u32", "selftest/shift/u32", "spin/spin/u32"}) {
    const KernelOrReason found = device_->find_kernel(name, kLanes);
    EXPECT_EQ(backend->lacks_kernel(name).has_value(), std::holds_alternative<Absent>(found))
        << name;
  }
}

TEST_P(KernelsOn, TellWhereTheyComeFrom) {
  const KernelFacts facts = kernel("vector_add/naive/f32", {.x = 256})->facts();
  EXPECT_GE(facts.build_ns, 0.0);
  if (api_of(GetParam()) != "host") {
    EXPECT_EQ(facts.source_hash.size(), 16u) << facts.source_hash;
  }
}

TEST_P(KernelsOn, CanBeHadTwice) {
  const auto first = kernel("selftest/arguments/u32", kLanes);
  const auto second = kernel("selftest/arguments/u32", kLanes);
  EXPECT_NE(first.get(), second.get());
}

// --- arguments and order -----------------------------------------------------------------------

struct ArgumentConstants {
  std::uint32_t n, p, q;
};

class LaunchesOn : public OnDevice {
 protected:
  /// out[i] = a[i] + 10 b[i] + 100 p + 1000 q for the first n elements.
  Launch arguments(const Kernel& kernel, const std::vector<Buffer*>& buffers,
                   const ArgumentConstants& constants, Extent3 groups) {
    return {.kernel = &kernel,
            .buffers = buffers,
            .constants = as_constants(constants),
            .groups = groups};
  }

  static std::vector<std::uint32_t> expected(const std::vector<std::uint32_t>& a,
                                             const std::vector<std::uint32_t>& b,
                                             const ArgumentConstants& k, std::uint32_t rest) {
    std::vector<std::uint32_t> out(a.size(), rest);
    for (std::size_t i = 0; i < k.n; ++i) out[i] = a[i] + 10 * b[i] + 100 * k.p + 1000 * k.q;
    return out;
  }
};

TEST_P(LaunchesOn, BindBuffersByIndexAndConstantsByOffset) {
  const std::size_t n = 1021;
  const auto a = random_words(n, 0);
  const auto b = random_words(n, 1);
  auto buffer_a = upload(a);
  auto buffer_b = upload(b);
  auto out = device_->allocate(4 * n);
  device_->fill(*out, 77);
  const auto kernel_ = kernel("selftest/arguments/u32", kLanes);
  const ArgumentConstants k = {.n = 1000, .p = 3, .q = 5};
  run_once({arguments(*kernel_, {buffer_a.get(), buffer_b.get(), out.get()}, k, groups_for(n))});
  EXPECT_EQ(download<std::uint32_t>(*out), expected(a, b, k, 77));
  // Swapped, so that binding in any other order shows.
  run_once({arguments(*kernel_, {buffer_b.get(), buffer_a.get(), out.get()}, k, groups_for(n))});
  EXPECT_EQ(download<std::uint32_t>(*out), expected(b, a, k, 77));
}

TEST_P(LaunchesOn, KeepTheirOwnArgumentsWithinOneSequence) {
  const std::size_t n = 499;
  const auto a = random_words(n, 0);
  const auto b = random_words(n, 1);
  auto buffer_a = upload(a);
  auto buffer_b = upload(b);
  auto first = device_->allocate(4 * n);
  auto second = device_->allocate(4 * n);
  const auto kernel_ = kernel("selftest/arguments/u32", kLanes);
  const ArgumentConstants k1 = {.n = n, .p = 1, .q = 2};
  const ArgumentConstants k2 = {.n = n, .p = 30, .q = 40};
  device_->run(
      {},
      std::vector{
          arguments(*kernel_, {buffer_a.get(), buffer_b.get(), first.get()}, k1, groups_for(n)),
          arguments(*kernel_, {buffer_b.get(), buffer_a.get(), second.get()}, k2, groups_for(n))},
      3);
  EXPECT_EQ(download<std::uint32_t>(*first), expected(a, b, k1, 0));
  EXPECT_EQ(download<std::uint32_t>(*second), expected(b, a, k2, 0));
}

TEST_P(LaunchesOn, UseTheArgumentsOfTheCallNotOfTheOneBefore) {
  const std::size_t n = 100;
  const auto a = random_words(n, 0);
  auto in = upload(a);
  auto out = device_->allocate(4 * n);
  const auto kernel_ = kernel("selftest/arguments/u32", kLanes);
  for (std::uint32_t p : {1u, 2u, 3u}) {
    const ArgumentConstants k = {.n = n, .p = p, .q = 0};
    run_once({arguments(*kernel_, {in.get(), in.get(), out.get()}, k, groups_for(n))});
    EXPECT_EQ(download<std::uint32_t>(*out), expected(a, a, k, 0)) << p;
  }
}

TEST_P(LaunchesOn, CoverMoreGroupsThanOneDimensionAllows) {
  const std::size_t n = std::size_t{32768} * 3 * 64 - 17;
  const auto a = random_words(n, 0);
  auto buffer_a = upload(a);
  auto out = device_->allocate(4 * n);
  device_->fill(*out, 0);
  const auto kernel_ = kernel("selftest/arguments/u32", kLanes);
  const ArgumentConstants k = {.n = static_cast<std::uint32_t>(n), .p = 1, .q = 1};
  run_once({arguments(*kernel_, {buffer_a.get(), buffer_a.get(), out.get()}, k, {32768, 3, 1})});
  EXPECT_TRUE(download<std::uint32_t>(*out) == expected(a, a, k, 0));
}

TEST_P(LaunchesOn, CountGroupsAlongXThenY) {
  // 5 x 7 groups number 35; one too few along either axis leaves elements unwritten.
  const std::size_t n = 35 * 64;
  const auto a = random_words(n, 0);
  auto buffer_a = upload(a);
  const auto kernel_ = kernel("selftest/arguments/u32", kLanes);
  const ArgumentConstants k = {.n = static_cast<std::uint32_t>(n), .p = 9, .q = 8};
  for (const Extent3 groups :
       {Extent3{5, 7, 1}, Extent3{35, 1, 1}, Extent3{1, 35, 1}, Extent3{5, 7, 2}}) {
    auto out = device_->allocate(4 * n);
    device_->fill(*out, 0);
    run_once({arguments(*kernel_, {buffer_a.get(), buffer_a.get(), out.get()}, k, groups)});
    EXPECT_EQ(download<std::uint32_t>(*out), expected(a, a, k, 0))
        << groups.x << " x " << groups.y << " x " << groups.z;
  }
}

struct ShiftConstants {
  std::uint32_t n, distance;
};

TEST_P(LaunchesOn, SeeTheWritesOfTheOneBefore) {
  // Each launch reads what another lane, mostly of another group, wrote in the launch before.
  const std::uint32_t n = 70001;
  const std::uint32_t distance = 4099;
  const std::uint32_t repeats = 100;
  const auto start = random_words(n, 0);
  auto ping = upload(start);
  auto pong = device_->allocate(std::uint64_t{4} * n);
  const auto kernel_ = kernel("selftest/shift/u32", kLanes);
  const ShiftConstants k = {.n = n, .distance = distance};
  const std::vector<Launch> launches = {{.kernel = kernel_.get(),
                                         .buffers = {ping.get(), pong.get()},
                                         .constants = as_constants(k),
                                         .groups = groups_for(n)},
                                        {.kernel = kernel_.get(),
                                         .buffers = {pong.get(), ping.get()},
                                         .constants = as_constants(k),
                                         .groups = groups_for(n)}};
  device_->run({}, launches, repeats);
  std::vector<std::uint32_t> expected(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    expected[i] = start[(i + std::uint64_t{2} * repeats * distance) % n] + 2 * repeats;
  }
  EXPECT_TRUE(download<std::uint32_t>(*ping) == expected);
}

TEST_P(LaunchesOn, RunTheWholeSequenceAsOftenAsAsked) {
  auto ping = upload(std::vector<std::uint32_t>(64, 0));
  auto pong = device_->allocate(4 * 64);
  const auto kernel_ = kernel("selftest/shift/u32", kLanes);
  const ShiftConstants k = {.n = 64, .distance = 1};
  std::uint32_t total = 0;
  for (std::uint32_t repeats : {1u, 2u, 7u, 512u}) {
    const std::vector<Launch> launches = {{.kernel = kernel_.get(),
                                           .buffers = {ping.get(), pong.get()},
                                           .constants = as_constants(k),
                                           .groups = {}},
                                          {.kernel = kernel_.get(),
                                           .buffers = {pong.get(), ping.get()},
                                           .constants = as_constants(k),
                                           .groups = {}}};
    device_->run({}, launches, repeats);
    total += 2 * repeats;
    EXPECT_EQ(download<std::uint32_t>(*ping), std::vector<std::uint32_t>(64, total)) << repeats;
  }
}

TEST_P(LaunchesOn, AreRefusedWhenTheyBreakTheContract) {
  const auto kernel_ = kernel("selftest/shift/u32", kLanes);
  auto buffer = device_->allocate(256);
  const Launch good = {.kernel = kernel_.get(),
                       .buffers = {buffer.get(), buffer.get()},
                       .constants = as_constants(ShiftConstants{.n = 0, .distance = 0}),
                       .groups = {}};
  const auto refused = [&](const Launch& launch, std::uint32_t repeats) {
    EXPECT_THROW(device_->run({}, std::span(&launch, 1), repeats), std::invalid_argument);
    if (repeats > 0) {
      EXPECT_THROW(device_->run(std::span(&launch, 1), std::span(&good, 1), 1),
                   std::invalid_argument);
    }
  };
  EXPECT_THROW(device_->run({}, {}, 1), std::invalid_argument);
  refused(good, 0);
  for (const Extent3 groups : {Extent3{0, 1, 1}, Extent3{1, 0, 1}, Extent3{1, 1, 0}}) {
    Launch bad = good;
    bad.groups = groups;
    refused(bad, 1);
  }
  Launch many = good;
  many.buffers.assign(kMaxBuffers + 1, buffer.get());
  refused(many, 1);
  Launch large = good;
  large.constants.resize(kMaxConstantBytes + 4);
  refused(large, 1);
  EXPECT_NO_THROW(run_once({good}));
}

// --- lifetime ----------------------------------------------------------------------------------

class LifeOf : public OnDevice {};

TEST_P(LifeOf, KeepsItsFactsConstant) {
  const DeviceInfo before = info();
  auto buffer = upload(random_words(64, 0));
  const auto kernel_ = kernel("selftest/shift/u32", kLanes);
  const DeviceInfo& after = info();
  EXPECT_EQ(before.id, GetParam());
  EXPECT_EQ(after.id, before.id);
  EXPECT_EQ(after.name, before.name);
  EXPECT_EQ(after.uuid, before.uuid);
  EXPECT_EQ(after.pci, before.pci);
  EXPECT_EQ(after.features, before.features);
  EXPECT_EQ(after.timer.valid_bits, before.timer.valid_bits);
  EXPECT_EQ(after.limits.max_group_count, before.limits.max_group_count);
}

TEST_P(LifeOf, SaysTheSameOpenAsListed) {
  for (const DeviceInfo& listed : backend_of(api_of(GetParam()))->list().devices) {
    if (listed.id != GetParam()) continue;
    EXPECT_EQ(info().name, listed.name);
    EXPECT_EQ(info().uuid, listed.uuid);
    EXPECT_EQ(info().pci, listed.pci);
    EXPECT_EQ(info().limits.max_buffer_bytes, listed.limits.max_buffer_bytes);
    EXPECT_EQ(info().timer.valid_bits, listed.timer.valid_bits);
    return;
  }
  ADD_FAILURE() << GetParam() << " is not listed any more";
}

TEST_P(LifeOf, CanBeOpenedTwiceAtOnce) {
  auto other = backend_of(api_of(GetParam()))->open(GetParam());
  const auto words = random_words(1000, 0);
  auto mine = upload(words);
  auto theirs = other->allocate(4000);
  other->fill(*theirs, 5);
  EXPECT_EQ(download<std::uint32_t>(*mine), words);
  theirs.reset();
  other.reset();
  EXPECT_EQ(download<std::uint32_t>(*mine), words);
}

TEST_P(LifeOf, CanBeOpenedAgain) {
  device_.reset();
  for (int i = 0; i < 3; ++i) {
    device_ = backend_of(api_of(GetParam()))->open(GetParam());
    auto ping = upload(std::vector<std::uint32_t>(64, 1));
    auto pong = device_->allocate(256);
    const auto kernel_ = kernel("selftest/shift/u32", kLanes);
    run_once({{.kernel = kernel_.get(),
               .buffers = {ping.get(), pong.get()},
               .constants = as_constants(ShiftConstants{.n = 64, .distance = 1}),
               .groups = {}}});
    EXPECT_EQ(download<std::uint32_t>(*pong), std::vector<std::uint32_t>(64, 2));
  }
}

INSTANTIATE_TEST_SUITE_P(Contract, CopiesOn, ::testing::ValuesIn(all_devices()), test_name);
INSTANTIATE_TEST_SUITE_P(Contract, MemoryOn, ::testing::ValuesIn(all_devices()), test_name);
INSTANTIATE_TEST_SUITE_P(Contract, KernelsOn, ::testing::ValuesIn(all_devices()), test_name);
INSTANTIATE_TEST_SUITE_P(Contract, LaunchesOn, ::testing::ValuesIn(all_devices()), test_name);
INSTANTIATE_TEST_SUITE_P(Contract, LifeOf, ::testing::ValuesIn(all_devices()), test_name);

}  // namespace
}  // namespace parallax
