#include "harness/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parallax {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(FormatBytesPerS, CountsInThousandsAsInO11) {
  EXPECT_EQ(format_bytes_per_s(1e9), "1.000 GB/s");
  EXPECT_EQ(format_bytes_per_s(4.25e12), "4.250 TB/s");
  EXPECT_EQ(format_bytes_per_s(1e6), "1.000 MB/s");
  EXPECT_EQ(format_bytes_per_s(12.34e9), "12.34 GB/s");
}

TEST(FormatNs, ChoosesAUnit) {
  EXPECT_EQ(format_ns(12340.0), "12.34 us");
  EXPECT_EQ(format_ns(1.0), "1.000 ns");
  EXPECT_EQ(format_ns(999.0), "999.0 ns");
  EXPECT_EQ(format_ns(1e9), "1.000 s");
  EXPECT_EQ(format_ns(2.5e6), "2.500 ms");
}

Row row(const std::string& device, Status status) {
  Row row;
  row.name = {
      .workload = "vector_add", .dtype = Dtype::f32, .size = {{"n", 7}}, .variant = "naive"};
  row.device = device;
  row.api = device.substr(0, device.find(':'));
  row.timer = "fake_clock";
  row.outcome = {status, status == Status::ok ? "" : "because of this"};
  if (status == Status::ok) {
    Summary summary;
    summary.median_ns = 1000.0;
    summary.ci95_ns = Interval{990.0, 1010.0};
    summary.rounds = 10;
    row.summary = summary;
    row.rates.bytes_per_s = 1e9;
  }
  return row;
}

TEST(FormatTable, ShowsNumbersOnlyInOkRowsAndReasonsInOthers) {
  ResultFile file;
  file.rows = {row("a:0", Status::ok), row("b:0", Status::invalid),
               row("c:0", Status::unsupported)};
  const std::string text = format_table(file, false);
  EXPECT_THAT(text, HasSubstr("1.000 GB/s"));
  EXPECT_THAT(text, HasSubstr("invalid"));
  EXPECT_THAT(text, HasSubstr("because of this"));
  EXPECT_THAT(text, HasSubstr("3 rows"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(format_table(file, true), HasSubstr("\x1b["));
}

TEST(FormatTable, SaysWhenTheHostTimed) {
  ResultFile file;
  file.rows = {row("a:0", Status::ok)};
  file.rows[0].timer = kHostClock;
  EXPECT_THAT(format_table(file, false), HasSubstr("host_clock"));
}

}  // namespace
}  // namespace parallax
