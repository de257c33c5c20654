// tilecast validate: how far the model is from what was measured.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/file_plan.h"
#include "cli/joined_input.h"
#include "cli/output_parts.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "validate/compare/public_cases.h"
#include "validate/compare/recorded_error.h"
#include "validate/compare/validation_text.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

constexpr std::size_t kMostWorst = 100'000;

struct ValidateOptions {
  JoinedInputOptions input;
  std::string format = "table", check, record, public_list;
  std::vector<std::string> choices;
  std::optional<std::string> method;
  std::optional<std::size_t> worst;  // none: kWorstInJson of JSON, else 0
};

void check_record(const Validation& validation, const std::string& record,
                  const std::string& path) {
  const std::vector<std::string> worse = worse_than_recorded(validation, record, path);
  if (!worse.empty()) {
    throw Error(ExitCode::kWrong,
                fmt::format("{}: worse than recorded: {}", path, join(worse, "; ")));
  }
}

/// Compares forecasts with published figures.
void run_public(const ValidateOptions& options) {
  const std::vector<PublicJudgement> judgements = judge_public_list(options.public_list);
  fmt::print("{}", options.format == "json" ? json_text(public_json(judgements))
                                            : public_table(judgements) + "\n");
}

void run_validate(ValidateOptions& options) {
  const Waiting waiting = Waiting::off_terminal("validate");
  if (!options.public_list.empty()) {
    run_public(options);
    return;
  }
  if (options.input.data.empty()) {
    throw ConfigError("validate needs measurements: --data CSV, or --public LIST");
  }
  FilePlan plan = files_of(options.input);
  plan.reads("--check", options.check);
  plan.reads("--choices", options.choices);
  plan.writes("--record", options.record);
  plan.check();
  if (options.method) {
    options.input.method = parse_method(*options.method);
  }
  std::string record;
  if (!options.check.empty()) {
    record = read_text(options.check);
    check_well_formed(record, options.check);
    options.input.method = options.input.method.value_or(recorded_method(record, options.check));
  }
  std::vector<Selector> listed;
  for (const std::string& path : options.choices) {
    listed.push_back(listed_choices(read_stored_text(path), path));
    const auto same = [&](const Selector& other) { return other.name == listed.back().name; };
    if (std::count_if(listed.begin(), listed.end(), same) > 1) {
      throw ConfigError(fmt::format("{}: another file of --choices has this name", path));
    }
  }
  const JoinedInput input = load_joined_input(options.input);
  const bool json = options.format == "json";
  ValidationOptions judging{.worst = options.worst.value_or(json ? kWorstInJson : 0)};
  judging.selectors = std::move(listed);
  const Validation validation = judge(input, std::move(judging));
  if (!options.record.empty()) {
    write_file(options.record, json_text(record_of(validation), 2));
  }
  fmt::print("{}", json ? json_text(to_json(validation)) : to_table(validation));
  if (!options.check.empty()) {
    check_record(validation, record, options.check);
  }
}

}  // namespace

void add_validate(Program& program) {
  const Command command = program.command("validate");
  const auto options = std::make_shared<ValidateOptions>();
  const Option data = add_joined_input(command, options->input).data;
  command
      .option("--public", options->public_list,
              "Judge by what others published instead: a list of sources, such as "
              "validate/public_cases.yaml")
      .excludes(data);
  add_split(command, options->input);
  command
      .option("--method", options->method,
              "simulated, by default: by simulation where there are processes, and memory-bound "
              "rows by closed form; analytic: all by closed form")
      .one_of({"analytic", "simulated"});
  command.option("--threads", options->input.threads, "For predictions; 0: one for each processor")
      .in_range(0u, 1024u);
  command.option("--format", options->format, "table or json").one_of({"table", "json"});
  command
      .option("--worst", options->worst,
              "List this many of the points with the largest errors; 20 in JSON, none in the "
              "table unless asked for")
      .in_range(std::size_t{0}, kMostWorst);
  command.option("--choices", options->choices,
                 "What another selector chose, as a baseline: CSV (docs/commands.md)");
  const Option check = command.option(
      "--check", options->check, "Exit with 1 where a figure is worse than recorded in this file");
  command.option("--record", options->record, "Record the headline figures in this file")
      .excludes(check);
  command.runs([options] { run_validate(*options); });
}

}  // namespace tilecast
