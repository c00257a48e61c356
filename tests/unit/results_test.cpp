#include "harness/results.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <limits>
#include <locale>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "harness/context.hpp"
#include "tests/unit/files.hpp"

namespace parallax {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path golden_folder() { return fs::path(PARALLAX_GOLDEN_DIR) / "results"; }

ListedDevice listed(std::string id, std::string api, std::string gpu) {
  ListedDevice device;
  device.info.id = std::move(id);
  device.info.api = std::move(api);
  device.gpu = std::move(gpu);
  device.info.name = "Example GPU";
  device.info.type = DeviceType::discrete_gpu;
  device.info.api_version = "1.4.312";
  device.info.driver = "Example driver 570.1";
  device.info.limits = {.memory_bytes = 1ull << 34,
                        .max_buffer_bytes = 1ull << 33,
                        .max_binding_bytes = 1ull << 32,
                        .max_group_lanes = 1024,
                        .max_group_size = {1024, 1024, 64},
                        .max_group_count = {2147483647, 65535, 65535},
                        .shared_bytes = 49152};
  device.info.features = {"f16_storage", "f64"};
  device.info.timer = {.source = "vulkan_timestamp", .period_ns = 1.0, .valid_bits = 64};
  device.matched_by = "uuid";
  return device;
}

VerifyReply passed(std::uint64_t digest) {
  VerifyReply reply;
  reply.verdict = {.ok = true, .metric = "bitwise", .checked = 65536, .detail = ""};
  reply.output_digest = digest;
  return reply;
}

Row row_of(const std::string& api, const std::string& device) {
  Row row;
  row.name = {"vector_add", Dtype::f32, {{"n", 65536}}, "vec4"};
  row.api = api;
  row.device = device;
  row.gpu = "uuid:00000000-1111-2222-3333-444444444444";
  row.n = 100;
  row.work = {.flops = 65536, .bytes_read = 524288, .bytes_written = 262144, .source = "n adds"};
  return row;
}

/// An ok row with `rounds` rounds of `samples` samples.
Row ok_row(const std::string& api, const std::string& device, std::uint32_t rounds,
           std::size_t samples) {
  Row row = row_of(api, device);
  row.timer = "vulkan_timestamp";
  row.before = passed(0x0123456789abcdefull);
  row.after = row.before;
  for (std::uint32_t r = 0; r < rounds; ++r) {
    RoundRecord& round = row.rounds.emplace_back();
    round.place = r % 2;
    for (std::size_t i = 0; i < samples; ++i) {
      round.t_ns.push_back(4096.04 + static_cast<double>(r) + 0.1 * static_cast<double>(i));
      round.leadin_ns.push_back(300000.26);
      round.host_ns.push_back(1234567.0);
    }
  }
  row.summary = Summary{.median_ns = 4096.14,
                        .ci95_ns = std::nullopt,
                        .min_ns = 4096.04,
                        .q1_ns = 4096.1,
                        .q3_ns = 5000.5,
                        .max_ns = 6000,
                        .rounds = rounds,
                        .floor_ns = std::nullopt,
                        .step_ns = std::nullopt};
  row.rates.bytes_per_s = 786432 / 4096.14e-9;
  row.group_size = {.x = 256};
  row.groups = {.x = 64};
  row.kernel.source_hash = "fedcba9876543210";
  row.kernel.build_ns = 1500000.5;
  return row;
}

/// One row of every kind, on two APIs of one GPU and the CPU.
ResultFile example() {
  ResultFile file;
  file.created = "2026-08-01T12:34:56Z";
  file.complete = true;
  file.tool = {.name = "parallax",
               .version = "0.1.0",
               .commit = "0123456789ab-dirty",
               .compiler = "GNU 12.2.0",
               .flags = "-O3 -DNDEBUG",
               .cuda = "",
               .glslang = "12.0.0"};
  file.host = {.os = "Example Linux 1", .kernel = "Linux 6.1.0 x86_64", .cpu = "Example CPU"};
  file.host.memory_bytes = 1ull << 35;
  const std::string uuid = "00000000-1111-2222-3333-444444444444";
  Gpu gpu{.id = "uuid:" + uuid,
          .name = "Example GPU",
          .type = DeviceType::discrete_gpu,
          .uuid = uuid,
          .pci = "0000:00:06.0",
          .driver = "570.1"};
  gpu.memory_bytes = 1ull << 34;
  Gpu cpu{.id = "cpu",
          .name = "Example CPU",
          .type = DeviceType::cpu,
          .uuid = {},
          .pci = {},
          .driver = ""};
  file.inventory.gpus = {gpu, cpu};
  file.inventory.devices = {listed("opencl:0", "opencl", gpu.id),
                            listed("vulkan:0", "vulkan", gpu.id),
                            listed("vulkan:1", "vulkan", gpu.id), listed("host:0", "host", "cpu")};
  file.inventory.devices[0].info.timer = {
      .source = "opencl_event", .period_ns = 1.0, .valid_bits = 64, .declared_ns = 1000};
  file.inventory.devices[0].info.platform = "Example \xff\xfe platform";  // not UTF-8
  file.inventory.devices[2].alias_of = "vulkan:0";
  file.inventory.devices[3].info.type = DeviceType::cpu;
  file.inventory.devices[3].info.limits = {};
  file.inventory.devices[3].matched_by = "cpu";
  file.clocks["opencl:0"] = {.source = "host_clock", .note = "profiling is not available"};
  file.clocks["vulkan:0"] = {.source = "vulkan_timestamp", .note = ""};
  file.plan = {.preset = "quick",
               .seed = 1,
               .rounds = 2,
               .samples_per_block = 3,
               .fill = "random",
               .arguments = "run --preset quick --output \"a\\b\tc.json\""};
  file.rows = {ok_row("opencl", "opencl:0", 2, 3), ok_row("vulkan", "vulkan:0", 2, 3)};
  file.rows[0].timer = "host_clock";
  file.rows[1].rounds.push_back(file.rows[1].rounds[0]);
  file.rows[1].rounds.back().rejected = "starved";
  file.rows[1].flags = {"below_resolution"};
  file.rows[1].kernel.registers = 16;
  Row unsupported = row_of("host", "host:0");
  unsupported.outcome = {Status::unsupported, "no kernel vector_add/vec4/f32"};
  file.rows.push_back(unsupported);
  Row invalid = ok_row("host", "host:0", 2, 3);
  invalid.name.variant = "naive";
  invalid.after->outcome = {Status::invalid, "element 7 differs"};
  invalid.after->verdict = {
      .ok = false, .metric = "bitwise", .checked = 65536, .worst = 3, .at = 7, .detail = ""};
  invalid.outcome = {Status::invalid, "element 7: got 1 \"\\\t\n, expected 2"};
  file.rows.push_back(invalid);
  file.ratios.push_back({.case_name = "vector_add/f32/n=65536/vec4",
                         .base = "opencl:0",
                         .device = "vulkan:0",
                         .ratio = {.ratio = 1.25, .ci95 = std::nullopt, .rounds = 2}});
  return file;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(ResultText, IsByteForByteTheGoldenFile) {
  const fs::path path = golden_folder() / "golden.json";
  const std::string text = to_json_text(example());
  if (std::getenv("PARALLAX_UPDATE_GOLDEN") != nullptr) write_atomically(path, text);
  EXPECT_EQ(text, read_file(path));
}

TEST(ResultText, IsValid) { EXPECT_EQ(joined(check_result_text(to_json_text(example()))), ""); }

// O02: quotes, backslashes, tabs and newlines survive a strict parser.
TEST(ResultText, O02_EscapesWhatJsonNeedsEscaped) {
  const json parsed = json::parse(to_json_text(example()));
  EXPECT_EQ(parsed["plan"]["arguments"], "run --preset quick --output \"a\\b\tc.json\"");
  EXPECT_EQ(parsed["results"][3]["reason"], "element 7: got 1 \"\\\t\n, expected 2");
}

TEST(ResultText, RepairsInvalidUtf8OfDrivers) {
  const json parsed = json::parse(to_json_text(example()));
  EXPECT_EQ(parsed["devices"][0]["platform"], "Example \xef\xbf\xbd\xef\xbf\xbd platform");
}

TEST(ResultText, CutsLongTextsWithinCharacters) {
  ResultFile file = example();
  std::string reason;
  while (reason.size() < 1000000) reason += "\xc3\xa4";
  file.rows[2].outcome.reason = reason;
  file.inventory.devices[0].info.name = std::string(100000, '\xff');
  const std::string text = to_json_text(file);
  EXPECT_EQ(text.find("\\u"), std::string::npos);
  EXPECT_EQ(joined(check_result_text(text)), "");
  const std::string cut = json::parse(text)["results"][2]["reason"];
  EXPECT_LE(cut.size(), kMaxTextBytes);
  EXPECT_TRUE(cut.ends_with("\xc3\xa4..."));
}

// O01: a bare nan or inf never gets into the text.
TEST(ResultText, O01_RefusesNumbersThatAreNotFinite) {
  for (double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    ResultFile in_sample = example();
    in_sample.rows[0].rounds[0].t_ns[1] = bad;
    EXPECT_THROW(to_json_text(in_sample), std::logic_error);
    ResultFile in_rate = example();
    in_rate.rows[0].rates.flop_per_s = bad;
    EXPECT_THROW(to_json_text(in_rate), std::logic_error);
    ResultFile in_ratio = example();
    in_ratio.ratios[0].ratio.ci95 = Interval{1.0, bad};
    EXPECT_THROW(to_json_text(in_ratio), std::logic_error);
    ResultFile in_verdict = example();
    in_verdict.rows[3].after->verdict.worst = bad;  // an output of NaN: a fact, not a bug
    EXPECT_TRUE(json::parse(to_json_text(in_verdict))["results"][3]["verify"]["worst"].is_null());
  }
}

TEST(ResultText, RefusesRowsThatContradictThemselves) {
  ResultFile no_summary = example();
  no_summary.rows[0].summary.reset();
  EXPECT_THROW(to_json_text(no_summary), std::logic_error);
  ResultFile uneven = example();
  uneven.rows[0].rounds[0].host_ns.pop_back();
  EXPECT_THROW(to_json_text(uneven), std::logic_error);
}

TEST(ResultText, VerifyOnlyRowsAreOkWithoutNumbers) {
  ResultFile file = example();
  file.ratios.clear();
  for (Row& row : file.rows) {
    row.flags.emplace_back(kVerifyOnly);
    row.summary.reset();
    row.rounds.clear();
    row.after.reset();
  }
  EXPECT_EQ(joined(check_result_text(to_json_text(file))), "");
}

// S09: a row without numbers is a row.
TEST(ResultText, S09_OnlyOkRowsCarryNumbers) {
  const json parsed = json::parse(to_json_text(example()));
  for (const json& row : parsed["results"]) {
    const bool ok = row["status"] == "ok";
    EXPECT_EQ(row["reason"].is_null(), ok);
    EXPECT_EQ(row["summary"].is_object(), ok);
    EXPECT_EQ(row["rates"].is_object(), ok);
    EXPECT_EQ(row["rounds"].empty(), !ok);
    EXPECT_EQ(row["n"].is_number(), ok);
  }
  const json& verify = parsed["results"][3]["verify"];
  EXPECT_EQ(verify["before"], "pass");
  EXPECT_EQ(verify["after"], "fail");
  EXPECT_EQ(verify["at"], 7);
}

TEST(ResultText, GivesAReasonEvenWhereADriverGaveNone) {
  ResultFile file = example();
  file.rows[2].outcome.reason.clear();
  EXPECT_EQ(joined(check_result_text(to_json_text(file))), "");
}

TEST(ResultText, NamesTheClockThatWasUsed) {
  const json parsed = json::parse(to_json_text(example()));
  EXPECT_EQ(parsed["devices"][0]["timer"]["source"], "host_clock");
  EXPECT_EQ(parsed["devices"][0]["timer"]["note"], "profiling is not available");
  EXPECT_EQ(parsed["devices"][0]["timer"]["declared_ns"], 1000.0);
  EXPECT_EQ(parsed["devices"][1]["timer"]["source"], "vulkan_timestamp");
  EXPECT_TRUE(parsed["devices"][1]["timer"]["declared_ns"].is_null());
}

TEST(ResultText, KeepsLargeNumbersExactly) {
  ResultFile file = example();
  file.plan.seed = std::numeric_limits<std::uint64_t>::max();
  const std::string text = to_json_text(file);
  EXPECT_NE(text.find("\"seed\":18446744073709551615"), std::string::npos);
  EXPECT_EQ(joined(check_result_text(text)), "");
}

TEST(ResultText, RoundsSamplesToATenthOfANanosecond) {
  ResultFile file = example();
  file.rows[0].rounds[0].t_ns = {0.01234, 4096.04, 1e9 + 0.06};
  const json t_ns = json::parse(to_json_text(file))["results"][0]["rounds"][0]["t_ns"];
  EXPECT_EQ(t_ns, json::parse("[0.01234, 4096.0, 1000000000.1]"));
}

TEST(ResultText, ThinsSamplesEvenlyWithinRounds) {
  ResultFile file = example();
  file.rows[1] = ok_row("vulkan", "vulkan:0", 15, 64);
  const json row = json::parse(to_json_text(file))["results"][1];
  std::size_t total = 0;
  for (const json& round : row["rounds"]) {
    total += round["t_ns"].size();
    EXPECT_EQ(round["t_ns"].size(), round["host_ns"].size());
    EXPECT_LT(round["t_ns"].back().get<double>() - round["t_ns"].front().get<double>(), 6.4);
    EXPECT_GT(round["t_ns"].back().get<double>() - round["t_ns"].front().get<double>(), 5.5);
  }
  EXPECT_EQ(row["rounds"].size(), 15u);
  EXPECT_GE(total, 180u);
  EXPECT_LE(total, 200u);
}

TEST(ResultText, ADefaultRunStaysUnderFiveMegabytes) {
  ResultFile file = example();
  file.rows.clear();
  file.ratios.clear();
  for (std::uint64_t n = 1; n <= 150; ++n) {
    for (const char* api : {"opencl", "vulkan"}) {
      Row row = ok_row(api, std::string(api) + ":0", 15, 64);
      row.name.size = {{"n", n}};
      row.timer = file.clocks.at(row.device).source;
      for (RoundRecord& round : row.rounds) {
        for (double& t : round.t_ns) t = 1234567.8;
        for (double& t : round.host_ns) t = 12345678.9;
      }
      row.summary->min_ns = 1.0;
      row.summary->max_ns = 2e6;
      file.rows.push_back(row);
    }
  }
  EXPECT_LT(to_json_text(file).size(), 5'000'000u);
}

TEST(ResultText, HasOneLinePerRow) {
  const std::string text = to_json_text(example());
  std::istringstream lines(text);
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);)
    rows += line.starts_with("{\"case\":\"vector_add");
  EXPECT_EQ(rows, 5u);  // 4 results, 1 ratio
}

// O13 and the rest: each bad file is named for its fault.
TEST(ResultCheck, TellsGoodGoldenFilesFromBadOnes) {
  std::size_t good = 0;
  std::size_t bad = 0;
  for (const auto& entry : fs::directory_iterator(golden_folder())) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json")) continue;
    const auto errors = check_result_text(read_file(entry.path()));
    if (name.starts_with("bad_")) {
      ++bad;
      EXPECT_FALSE(errors.empty()) << name;
    } else {
      ++good;
      EXPECT_EQ(joined(errors), "") << name;
    }
    for (const std::string& error : errors) {
      EXPECT_EQ(error.find_first_of("\n\r\x1b"), std::string::npos) << name << ": " << error;
      EXPECT_LT(error.size(), 600u) << name;
    }
  }
  EXPECT_GE(good, 10u);
  EXPECT_GE(bad, 90u);
}

TEST(ResultCheck, SaysNoMoreThanTwentyThingsAndACount) {
  json file = json::parse(to_json_text(example()));
  for (json& round : file["results"][0]["rounds"]) {
    for (int i = 0; i < 50; ++i) round["t_ns"].push_back(-1);
  }
  const auto errors = check_result_text(file.dump());
  ASSERT_EQ(errors.size(), 21u);
  EXPECT_EQ(errors.back(), "... and 80 more");
}

TEST(ResultCheck, SurvivesHostileTexts) {
  const std::string deep(10'000'000, '[');
  EXPECT_NE(joined(check_result_text(deep)).find("deeper than 64 levels"), std::string::npos);
  const std::string text = to_json_text(example());
  // The longest text that the reader lets through to the pattern of a case name.
  std::string long_name = text;
  long_name.replace(long_name.find("vec4\""), 4, std::string(4000, 'x'));
  EXPECT_FALSE(check_result_text(long_name).empty());
  std::string many = "[";
  for (int i = 0; i < 2'100'000; ++i) many += "0,";
  EXPECT_NE(joined(check_result_text(many + "0]")).find("more than 2000000 values"),
            std::string::npos);
  EXPECT_NE(joined(check_result_text(std::string(std::size_t{65} << 20, ' '))).find("too many"),
            std::string::npos);
}

struct CommaNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

// O06: a locale that writes 4,97 changes nothing. The C++ side needs no installed locale; the C
// side is tried where the machine has one (the script tests bring their own).
TEST(ResultText, O06_DoesNotDependOnTheLocale) {
  const std::string expected = to_json_text(example());
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaNumbers));
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  const std::string text = to_json_text(example());
  const std::string errors = joined(check_result_text(text));
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
  EXPECT_EQ(text, expected);
  EXPECT_EQ(errors, "");
}

TEST(ResultText, TakesTheFactsOfThisBuildAndMachine) {
  ResultFile file = example();
  file.created = utc_now();
  file.tool = tool_facts();
  file.host = host_facts();
  EXPECT_EQ(joined(check_result_text(to_json_text(file))), "");
}

}  // namespace
}  // namespace parallax
