// The blocks that Google Benchmark executes. That BENCHMARK_* variables change nothing is shown by
// tests/scripts, since the library reads them before main.
#include "harness/gbench.hpp"

#include <gtest/gtest.h>

namespace parallax {
namespace {

class Gbench : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { initialize_gbench(); }

  static std::uint32_t calls_of(const std::string& name, std::uint32_t count) {
    std::uint32_t calls = 0;
    run_gbench_block(name, count, [&]() -> std::optional<double> {
      ++calls;
      return 1e-6;
    });
    return calls;
  }
};

TEST_F(Gbench, CallsForExactlyAsManySamplesAsAsked) {
  for (std::uint32_t count : {1u, 2u, 7u, 66u, 1000u}) {
    EXPECT_EQ(calls_of("vector_add/f32/n=65536/vec4", count), count);
  }
}

TEST_F(Gbench, DoesNotCalibrateByTheTimesItIsTold) {
  for (double seconds : {0.0, 1e-12, 1.0, 1e6}) {
    std::uint32_t calls = 0;
    run_gbench_block("a/f32/n=1/b", 5, [&]() -> std::optional<double> {
      ++calls;
      return seconds;
    });
    EXPECT_EQ(calls, 5u) << seconds;
  }
}

TEST_F(Gbench, StopsEarlyWhenTold) {
  std::uint32_t calls = 0;
  EXPECT_NO_THROW(run_gbench_block("vector_add/f32/n=1/naive", 10, [&]() -> std::optional<double> {
    if (++calls == 3) return std::nullopt;
    return 1e-6;
  }));
  EXPECT_EQ(calls, 3u);
}

TEST_F(Gbench, StopsAtTheFirstSample) {
  std::uint32_t calls = 0;
  run_gbench_block("vector_add/f32/n=1/naive", 10, [&]() -> std::optional<double> {
    ++calls;
    return std::nullopt;
  });
  EXPECT_EQ(calls, 1u);
}

TEST_F(Gbench, RunsTheSameNameAgain) {
  EXPECT_EQ(calls_of("gemm/f16/m=1,n=2,k=3/tiled", 4), 4u);
  EXPECT_EQ(calls_of("gemm/f16/m=1,n=2,k=3/tiled", 4), 4u);
}

TEST_F(Gbench, TellsNamesApartThatStartAlike) {
  EXPECT_EQ(calls_of("vector_add/f32/n=1/vec4", 3), 3u);
  EXPECT_EQ(calls_of("vector_add/f32/n=1/vec4_wide", 3), 3u);
}

}  // namespace
}  // namespace parallax
