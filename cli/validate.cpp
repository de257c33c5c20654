// tilecast validate: compares predictions with measurements.

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/file_plan.h"
#include "cli/joined_input.h"
#include "cli/output_parts.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/refuse.h"
#include "model/base/text.h"
#include "validate/compare/library_times.h"
#include "validate/compare/public_cases.h"
#include "validate/compare/recorded_error.h"
#include "validate/compare/validation.h"

namespace tilecast {
namespace {

void check_record(const Validation& validation, const std::string& record,
                  const std::string& path) {
  const std::vector<std::string> worse = worse_than_recorded(validation, record, path);
  if (!worse.empty()) {
    throw Error(ExitCode::kWrong,
                fmt::format("{}: worse than recorded: {}", path, join(worse, "; ")));
  }
}

}  // namespace

void run_validate(const Arguments& args) {
  const Waiting waiting = Waiting::off_terminal("validate");
  const bool json = args.text("--format") == "json";
  if (args.given("--public")) {  // compares forecasts with published figures
    const std::vector<PublicJudgement> judgements = judge_public_list(args.text("--public"));
    fmt::print("{}", json ? json_text(public_json(judgements)) : public_table(judgements) + "\n");
    return;
  }
  if (args.given("--against-library")) {
    const LibraryJudgement judged =
        judge_library(args.text("--against-library"), args.text("--gpu"),
                      static_cast<i32>(args.number("--copies-of-b")));
    fmt::print("{}", json ? json_text(library_json(judged)) : library_table(judged));
    return;
  }
  JoinedInputOptions asked = joined_input_options(args);
  const std::string check = args.text("--check"), recorded = args.text("--record");
  refuse_if(asked.data.empty(),
            "validate needs measurements: --data CSV, --public LIST or --against-library FILE");
  FilePlan plan = files_of(asked);
  plan.reads("--check", check);
  plan.writes("--record", recorded);
  plan.check();
  if (args.given("--method")) {
    asked.method = parse_method(args.text("--method"));
  }
  std::string record;
  if (!check.empty()) {
    record = read_text(check);
    check_well_formed(record, check);
    asked.method = asked.method.value_or(recorded_method(record, check));
  }
  const JoinedInput input = load_joined_input(asked);
  const Validation validation =
      judge(input, {.worst = static_cast<std::size_t>(
                        args.number_if_any("--worst").value_or(json ? kWorstInJson : 0))});
  if (!recorded.empty()) {
    write_file(recorded, json_text(record_of(validation), 2));
  }
  fmt::print("{}", json ? json_text(to_json(validation)) : to_table(validation));
  if (!check.empty()) {
    check_record(validation, record, check);
  }
}

}  // namespace tilecast
