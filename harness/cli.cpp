#include "harness/cli.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <system_error>

#include "harness/commands/commands.hpp"
#include "harness/console.hpp"
#include "harness/context.hpp"
#include "harness/gbench.hpp"
#include "harness/one_line.hpp"
#include "harness/options.hpp"

namespace parallax {
namespace {

constexpr const char* kExamples = R"(Examples:
  parallax devices
  parallax run --workload vector_add --preset quick
  parallax run --api cuda,vulkan --dtype f32 --size n=2^28 --variant vec4 --output out.json
  parallax validate out.json

Exit codes: 0 done, 1 regression, 2 usage or file error, 3 inconclusive under --strict,
4 a case failed or a required API is missing, 77 no usable device, 130/143 interrupted.)";

const std::map<std::string, Preset> kPresets = {{"quick", Preset::quick},
                                                {"default", Preset::standard},
                                                {"full", Preset::full},
                                                {"ci", Preset::ci}};

void add_list(CLI::App& app, const char* name, std::vector<std::string>& into, const char* text) {
  app.add_option(name, into, text)->delimiter(',');
}

/// Filters that `selftest` has as well.
void add_common_filters(CLI::App& app, Filters& filters) {
  add_list(app, "--workload", filters.workloads, "Workloads, comma list");
  add_list(app, "--api", filters.apis, "APIs, comma list (cuda,opencl,vulkan,host)");
  add_list(app, "--device", filters.devices,
           "Devices, comma list: cuda:0, uuid:..., pci:..., cpu, or part of a GPU's name");
  app.add_option("--filter", filters.regex, "Regular expression searched in case names");
}

void add_filters(CLI::App& app, Filters& filters) {
  add_common_filters(app, filters);
  add_list(app, "--dtype", filters.dtypes, "Element types, comma list (f16,f32,f64,i8,i32)");
  add_list(app, "--variant", filters.variants, "Algorithms, comma list");
  add_list(app, "--tier", filters.tiers, "Tiers, comma list (matched,tuned,vendor)");
  app.add_option("--size", filters.sizes, "Size such as n=2^24; repeatable; replaces the preset's");
}

void add_preset(CLI::App& app, Preset& preset) {
  const auto set = [&preset](const std::string& name) { preset = kPresets.at(name); };
  app.add_option_function<std::string>("--preset", set, "Sizes and amount of sampling")
      ->check(CLI::IsMember(kPresets))
      ->type_name("quick|default|full|ci");
}

/// The whole command line as CLI11 sees it, and where it puts what it reads.
struct CommandLine {
  CLI::App app{"Parallax: what each compute API costs on this machine", "parallax"};
  CLI::App* devices = app.add_subcommand("devices", "List every device of every API by GPU");
  CLI::App* list = app.add_subcommand("list", "List the planned cases");
  CLI::App* run = app.add_subcommand("run", "Measure: table, and JSON to a file");
  CLI::App* selftest = app.add_subcommand("selftest", "Prove that wrong results are caught");
  CLI::App* validate = app.add_subcommand("validate", "Check a result file against the schema");
  bool json = false;
  RunOptions options;
  std::string file;

  CommandLine() {
    app.set_version_flag("--version", version_line());
    app.require_subcommand(1);
    app.footer(kExamples);
    devices->add_flag("--json", json, "JSON on stdout");
    list->add_flag("--json", json, "JSON on stdout");
    add_filters(*list, options.filters);
    add_preset(*list, options.preset);
    add_filters(*run, options.filters);
    add_preset(*run, options.preset);
    run->add_option("--rounds", options.rounds, "Rounds per case instead of the preset's")
        ->check(CLI::Range(1u, 10000u));
    run->add_option("--seed", options.seed, "Seed of inputs and order")
        ->check([](const std::string& text) -> std::string {
          std::uint64_t value = 0;
          const char* end = text.data() + text.size();
          const auto [stop, error] = std::from_chars(text.data(), end, value);
          if (error == std::errc() && stop == end) return "";
          return fmt::format("'{}' is not a whole number from 0 to 2^64 - 1", text);
        })
        ->capture_default_str();
    run->add_option("--require", options.require, "APIs that must have a device, else exit 4")
        ->delimiter(',');
    run->add_flag("--verify-only", options.verify_only, "Check results, measure nothing");
    run->add_option("--output", options.output,
                    "Result file, - for stdout (default results/<date>-<gpu>.json)");
    run->add_flag("--force", options.force, "Overwrite an existing result file");
    add_common_filters(*selftest, options.filters);
    validate->add_option("FILE", file, "Result file")->required();
  }

  [[nodiscard]] const CLI::App* command(std::string_view name) const {
    for (const CLI::App* sub : app.get_subcommands({})) {
      if (sub->get_name() == name) return sub;
    }
    return nullptr;
  }
};

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

/// What other tools call our options.
const std::map<std::string, std::string, std::less<>> kSynonyms = {{"--backend", "--api"},
                                                                   {"--gpu", "--device"},
                                                                   {"--type", "--dtype"},
                                                                   {"--kernel", "--variant"},
                                                                   {"--benchmark", "--workload"}};

/// Suggests the nearest of `names`, or of their synonyms when the words are options.
std::string did_you_mean(std::string_view word, std::vector<std::string> names) {
  if (word.starts_with('-')) {
    for (const auto& [synonym, name] : kSynonyms) {
      if (std::ranges::find(names, name) != names.end()) names.push_back(synonym);
    }
  }
  std::string near = nearest(word, names);
  if (const auto found = kSynonyms.find(near); found != kSynonyms.end()) near = found->second;
  return near.empty() ? "" : fmt::format(", did you mean {}?", near);
}

/// Refuses unknown commands and options by name before the parser sees them: it would take the
/// value of an unknown option for a file, and name that instead (CLIUtils/CLI11#986).
void check_words(const CommandLine& line, int argc, char** argv) {
  const CLI::App* app = &line.app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool is_option = word.size() > 1 && word.front() == '-';
    if (!is_option) {
      if (app != &line.app) continue;
      app = line.command(word);
      if (app != nullptr) continue;
      std::vector<std::string> names;
      for (const CLI::App* sub : line.app.get_subcommands({})) names.push_back(sub->get_name());
      throw CommandError(kExitUsage,
                         fmt::format("unknown command {}{}; valid: {}", word,
                                     did_you_mean(word, names), fmt::join(names, ", ")));
    }
    const std::string name = word.substr(0, word.find('='));
    const CLI::Option* option = app->get_option_no_throw(name);
    if (option == nullptr) {
      throw CommandError(kExitUsage, fmt::format("unknown option {}{}; see parallax {}--help", name,
                                                 did_you_mean(name, option_names(*app)),
                                                 app == &line.app ? "" : app->get_name() + " "));
    }
    const bool value_follows = option->get_items_expected_max() > 0 && name == word;
    if (value_follows) ++i;
  }
}

/// The command line for the result file: paths lose their folders, which may name a user.
std::string recorded_arguments(int argc, char** argv) {
  const std::string path_option = "--output";
  std::string text;
  bool path_follows = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    const bool joined = word.starts_with(path_option + "=");
    const std::string prefix = joined ? path_option + "=" : "";
    if (joined || path_follows || word.starts_with('/') || word.starts_with('~')) {
      word = prefix + std::filesystem::path(word.substr(prefix.size())).filename().string();
    }
    path_follows = word == path_option;
    text += (i > 1 ? " " : "") + word;
  }
  return text;
}

int dispatch(CommandLine& line, const std::vector<BackendEntry>& entries) {
  if (line.validate->parsed()) return validate_command(line.file);
  const Backends backends(entries);
  if (line.devices->parsed()) return devices_command(backends, line.json);
  if (line.list->parsed()) {
    return list_command(backends, line.options.filters, line.options.preset, line.json);
  }
  initialize_gbench();
  if (line.selftest->parsed()) return selftest_command(backends, line.options.filters);
  return run_command(backends, line.options);
}

}  // namespace

int cli_main(int argc, char** argv, const std::vector<BackendEntry>& backends) {
  CommandLine line;
  try {
    check_words(line, argc, argv);
    line.app.parse(argc, argv);
    line.options.arguments = recorded_arguments(argc, argv);
    const int code = dispatch(line, backends);
    // What was asked for went to stdout; a run whose output is lost has not done its job.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      throw CommandError(kExitUsage,
                         fmt::format("cannot write to stdout: {}", std::strerror(errno)));
    }
    return code;
  } catch (const CLI::Success& success) {
    return line.app.exit(success);  // --help and --version
  } catch (const CLI::ParseError& error) {
    say(fmt::format("parallax: {}\n", one_line(error.what())));
    return kExitUsage;
  } catch (const CommandError& error) {
    say(fmt::format("parallax: {}\n", one_line(error.what())));
    return error.exit_code();
  } catch (const std::system_error& error) {
    say(fmt::format("parallax: {}\n", one_line(error.what())));
    return kExitUsage;
  } catch (const std::exception& error) {
    say(fmt::format("parallax: internal error: {}\n", one_line(error.what())));
    return kExitFailedCases;
  }
}

}  // namespace parallax
