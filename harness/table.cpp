#include "harness/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <regex>

namespace parallax {
namespace {

/// Scales to the largest unit that leaves at least 1.
std::string scaled(double value, std::span<const char* const> units) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && value >= 999.95) {
    value /= 1000.0;
    ++unit;
  }
  const int digits = value >= 100.0 ? 1 : value >= 10.0 ? 2 : 3;
  return fmt::format("{:.{}f} {}", value, digits, units[unit]);
}

constexpr std::size_t kColumns = 8;
using Line = std::array<std::string, kColumns>;

const char* colour_of(Status status) {
  switch (status) {
    case Status::ok:
      return "";
    case Status::unsupported:
    case Status::skipped:
      return "\x1b[33m";
    case Status::invalid:
    case Status::error:
      break;
  }
  return "\x1b[31m";
}

/// Whether every ratio of the file has the same base, so that the heading can name it.
bool one_base(const ResultFile& file) {
  return std::ranges::all_of(file.ratios, [&](const RatioRecord& record) {
    return record.base == file.ratios.front().base;
  });
}

std::string ratio_text(const ResultFile& file, const Row& row, const std::string& name) {
  for (const RatioRecord& record : file.ratios) {
    if (record.case_name != name) continue;
    if (record.base == row.device) return "1";
    if (record.device != row.device) continue;
    std::string text = fmt::format("{:.3f}", record.ratio.ratio);
    if (record.ratio.ci95) {
      text += fmt::format(" [{:.3f}, {:.3f}]", record.ratio.ci95->lo, record.ratio.ci95->hi);
    }
    return one_base(file) ? text : fmt::format("{} / {}", text, record.base);
  }
  return "";
}

/// A case with more than one operation per byte is about arithmetic, others are about memory.
std::string rate_text(const Row& row) {
  const Rates& rates = row.rates;
  if (rates.flop_per_s && rates.flop_per_byte.value_or(0.0) > 1.0) {
    // The operations of i8 are integer ones.
    const std::string text = format_flop_per_s(*rates.flop_per_s);
    return row.name.dtype == Dtype::i8 ? std::regex_replace(text, std::regex("FLOP"), "OP") : text;
  }
  return rates.bytes_per_s ? format_bytes_per_s(*rates.bytes_per_s) : "";
}

Line line_of(const ResultFile& file, const Row& row) {
  const std::string name = format_case_name(row.name);
  Line line = {name, row.device};
  if (row.summary) {
    const Summary& s = *row.summary;
    line[2] = format_ns(s.median_ns);
    if (s.ci95_ns) {
      const double half = (s.ci95_ns->hi - s.ci95_ns->lo) / 2.0;
      line[3] = fmt::format("{:.2f} %", 100.0 * half / s.median_ns);
    } else {
      line[3] = "-";
    }
    line[4] = fmt::format("{}", row.n);
    line[5] = rate_text(row);
    line[6] = ratio_text(file, row, name);
    line[7] = fmt::format("{}", fmt::join(row.flags, " "));
    if (row.timer == kHostClock) line[7] += line[7].empty() ? "host_clock" : " host_clock";
  } else if (row.outcome.ok()) {
    line[2] = "verified";
  } else {
    line[2] = std::string(to_string(row.outcome.status));
  }
  return line;
}

std::string counts_line(const ResultFile& file) {
  std::map<Status, std::size_t> counts;
  for (const Row& row : file.rows) ++counts[row.outcome.status];
  std::vector<std::string> parts;
  for (const auto& [status, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, to_string(status)));
  }
  return fmt::format("{} rows: {}\n", file.rows.size(), fmt::join(parts, ", "));
}

}  // namespace

std::string format_ns(double ns) {
  static constexpr std::array kUnits = {"ns", "us", "ms", "s"};
  return scaled(ns, kUnits);
}

std::string format_bytes_per_s(double bytes_per_s) {
  static constexpr std::array kUnits = {"MB/s", "GB/s", "TB/s"};
  return scaled(bytes_per_s / 1e6, kUnits);
}

std::string format_flop_per_s(double flop_per_s) {
  static constexpr std::array kUnits = {"MFLOP/s", "GFLOP/s", "TFLOP/s"};
  return scaled(flop_per_s / 1e6, kUnits);
}

std::string format_table(const ResultFile& file, bool colour) {
  const std::string base =
      file.ratios.empty() || !one_base(file) ? "first API" : file.ratios.front().base;
  std::vector<Line> lines = {{"case", "device", "median", "+-95 %", "N", "rate",
                              fmt::format("time / {} [95 %]", base), "flags"}};
  for (const Row& row : file.rows) lines.push_back(line_of(file, row));

  std::array<std::size_t, kColumns> widths{};
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < kColumns; ++c) widths[c] = std::max(widths[c], line[c].size());
  }
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Row* row = i == 0 ? nullptr : &file.rows[i - 1];
    std::string out;
    for (std::size_t c = 0; c < kColumns; ++c) {
      const bool number = c >= 2 && c <= 5;
      out += number ? fmt::format("{:>{}}  ", lines[i][c], widths[c])
                    : fmt::format("{:<{}}  ", lines[i][c], widths[c]);
    }
    if (row != nullptr && !row->outcome.ok()) {
      out = fmt::format("{:<{}}  {:<{}}  {}: {}", lines[i][0], widths[0], lines[i][1], widths[1],
                        to_string(row->outcome.status), row->outcome.reason);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    const std::string_view tint =
        colour && row != nullptr ? colour_of(row->outcome.status) : std::string_view{};
    text += tint.empty() ? out + "\n" : fmt::format("{}{}\x1b[0m\n", tint, out);
  }
  return text + counts_line(file);
}

}  // namespace parallax
