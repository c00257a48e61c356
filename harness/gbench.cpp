#include "harness/gbench.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace parallax {
namespace {

/// Takes the place of the library's console output and brings back what it says it ran.
class CollectingReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      ++runs_;
      iterations_ += static_cast<std::uint64_t>(run.iterations);
    }
  }
  [[nodiscard]] std::uint64_t runs() const { return runs_; }
  [[nodiscard]] std::uint64_t iterations() const { return iterations_; }

 private:
  std::uint64_t runs_ = 0;
  std::uint64_t iterations_ = 0;
};

}  // namespace

void initialize_gbench() {
  std::array arguments = {
      std::string("parallax"),
      std::string("--benchmark_repetitions=1"),
      std::string("--benchmark_min_warmup_time=0"),
      std::string("--benchmark_format=console"),
      std::string("--benchmark_out_format=json"),
      std::string("--benchmark_time_unit=ns"),
      std::string("--benchmark_list_tests=false"),
      std::string("--benchmark_enable_random_interleaving=false"),
      std::string("--benchmark_out="),
      std::string("--benchmark_perf_counters="),
  };
  std::array<char*, arguments.size()> argv{};
  for (std::size_t i = 0; i < arguments.size(); ++i) argv[i] = arguments[i].data();
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
}

void run_gbench_block(const std::string& case_name, std::uint32_t count,
                      const std::function<std::optional<double>()>& sample) {
  std::uint64_t calls = 0;
  bool stopped = false;
  benchmark::RegisterBenchmark(case_name.c_str(),
                               [&](benchmark::State& state) {
                                 for ([[maybe_unused]] auto iteration : state) {
                                   ++calls;
                                   if (const std::optional<double> seconds = sample()) {
                                     state.SetIterationTime(*seconds);
                                   } else {
                                     stopped = true;
                                     state.SkipWithError("stopped");
                                     break;
                                   }
                                 }
                               })
      ->UseManualTime()
      ->Iterations(count)
      ->Repetitions(1);

  CollectingReporter reporter;
  // Case names hold no character that means anything in a regular expression.
  benchmark::RunSpecifiedBenchmarks(&reporter, nullptr, "^" + case_name + "/iterations:");
  benchmark::ClearRegisteredBenchmarks();
  const bool complete = calls == count && reporter.iterations() == count;
  if (reporter.runs() != 1 || (!stopped && !complete)) {
    throw std::logic_error(
        fmt::format("Google Benchmark ran {} of {} samples of {} and reported {}", calls, count,
                    case_name, reporter.iterations()));
  }
}

}  // namespace parallax
