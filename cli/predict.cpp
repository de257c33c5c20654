// tilecast predict: ranks schedules and tilings for a problem.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/cutlass_output.h"
#include "cli/output_parts.h"
#include "cli/predict_output.h"
#include "cli/problem_list.h"
#include "cli/problem_options.h"
#include "cli/question.h"
#include "cli/say.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/point_group.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

/// The ranking for one GPU; `refusal`: why there is none.
struct Answer {
  LoadedGpu gpu;
  MeasuredByConfig measured;
  Ranking ranking;
  Seconds elapsed;
  std::string refusal;
};

/// Reads verified rows of this GPU, problem, regime and inputs.
MeasuredByConfig read_measured(const Arguments& args, const GpuSpec& gpu, const Question& q) {
  std::vector<MeasurementFile> files;
  for (const std::string& file : args.texts("--data")) {
    files.push_back(read_measurements(file));
    if (files.back().rows.empty()) {
      throw ConfigError(file + ": contains no measured rows");
    }
  }
  const GroupKey asked =
      group_key({.problem = q.problem, .config = {}, .regime = q.regime, .inputs = q.inputs});
  MeasuredByConfig by_config;
  for (const VerifiedRow& row :
       verified_rows(files, {gpu.name, gpu.product}, OtherGpus::kLeftOut)) {
    const Measurement& m = row.measurement();
    if (group_key(m.point) == asked) {
      by_config.emplace(m.point.config, m);
    }
  }
  if (!files.empty() && by_config.empty()) {
    say("--data: no verified row of {} on {}, {}, {} inputs", to_text(q.problem), gpu.name,
        to_text(q.regime), to_text(q.inputs));
  }
  return by_config;
}

Answer answer_of(const Arguments& args, const Question& q, LoadedGpu loaded, bool one,
                 std::size_t keep) {
  Answer answer{std::move(loaded), {}, {}, {}, {}};
  const GpuSpec& gpu = answer.gpu.spec;
  answer.measured = read_measured(args, gpu, q);
  const Waiting waiting(fmt::format("{} on {}", asked_shape(args), gpu.name));
  const auto start = std::chrono::steady_clock::now();
  try {
    answer.ranking = rank(q, gpu, keep);
  } catch (const ConfigError& error) {
    if (one) {
      throw;
    }
    answer.refusal = error.what();
  }
  answer.elapsed =
      Seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
  return answer;
}

void run_one(const Arguments& args) {
  const std::string format = args.text("--format");
  std::vector<LoadedGpu> gpus;
  std::set<std::string> seen;
  for (const std::string& name :
       args.given("--gpu") ? args.texts("--gpu") : std::vector{args.text("--gpu")}) {
    if (!seen.insert(name).second) {
      continue;
    }
    LoadedGpu gpu = load_asked_gpu(name, !args.given("--no-calibration"));
    if (std::ranges::find(gpus, gpu.path, &LoadedGpu::path) == gpus.end()) {
      gpus.push_back(std::move(gpu));
    }
  }
  const Question question = question_of(args, gpus.front().spec);
  const bool one = gpus.size() == 1, cutlass = format == "cutlass",
             listing = !question.listed.configs.empty();
  if (cutlass && !one) {
    throw ConfigError("--format cutlass takes exactly one --gpu");
  }
  constexpr std::size_t kListed = 10;  // default number of rows with --configs
  const std::optional<i64> asked = args.number_if_any("--rows");
  const std::optional<std::size_t> rows =
      asked ? std::optional(static_cast<std::size_t>(*asked)) : std::nullopt;
  // Text output shows the shortlist, so its ranking needs no more than the first row.
  const std::size_t listed = rows.value_or(!one ? 1 : listing ? kEveryCandidate : kListed);
  const std::size_t keep = cutlass ? std::max(listed, kLookedAtForCutlass)
                           : format == "table" && !args.given("--all") ? 1
                                                                       : listed;
  std::vector<Answer> answers;
  for (LoadedGpu& gpu : gpus) {
    answers.push_back(answer_of(args, question, std::move(gpu), one, keep));
  }
  if (cutlass) {
    fmt::print("{}{}", cutlass_header(), cutlass_rows(answers.front().ranking, listed));
    require_all_read(question.listed);
    return;
  }
  std::vector<RankingReport> reports;
  std::vector<GpuRefusal> refusals;
  std::vector<std::string> whys;
  for (const Answer& answer : answers) {
    if (!answer.refusal.empty()) {
      refusals.push_back({answer.gpu.spec.name, answer.refusal});
      whys.push_back(to_text(refusals.back()));
      continue;
    }
    reports.push_back({answer.gpu, answer.ranking, listed, answer.elapsed, answer.measured,
                       args.given("--wide"), args.given("--verbose"),
                       args.given("--experts") ? std::optional(asked_routing(args)) : std::nullopt,
                       rows, args.given("--all") || listing, question.listed.lines,
                       question.listed.unread});
  }
  if (reports.empty()) {
    throw ConfigError("no GPU has a prediction: " + join(whys, "; "));
  }
  const RankingReport& first = reports.front();
  fmt::print("{}", format == "jsonl"  ? json_text(ranking_object(first))
                   : format == "json" ? rankings_json(reports, refusals)
                   : format == "csv"  ? rankings_csv(reports, refusals)
                   : one              ? ranking_table(first)
                                      : rankings_table(reports, refusals));
  for (const RankingReport& report : reports) {
    fmt::print(stderr, "{}",
               args.given("--verbose") ? search_text(report)
               : listing               ? rejected_text(report)
                                       : "");
  }
  if (!refusals.empty()) {
    throw Error(ExitCode::kPartial, fmt::format("the problem is not supported on {} of {} GPUs",
                                                refusals.size(), answers.size()));
  }
  require_all_read(question.listed);
}

constexpr std::size_t kMostAloneOfMany = 10;  // configurations ranked one by one for each problem

/// Implements predict --problems.
void run_many(const Arguments& args) {
  if (args.texts("--gpu").size() > 1) {
    throw ConfigError("a list of problems takes exactly one --gpu");
  }
  if (args.text("--problems") == "-" && args.text("--configs") == "-") {
    throw ConfigError("--problems and --configs cannot both be standard input");
  }
  const LoadedGpu gpu = load_asked_gpu(args.text("--gpu"), !args.given("--no-calibration"));
  const ListedConfigs listed_configs = read_configs(args.text("--configs"));
  const bool listing = !listed_configs.configs.empty();
  const std::size_t top =
      static_cast<std::size_t>(args.number_if_any("--rows").value_or(listing ? i64{1} << 20 : 1));
  const bool cutlass = args.text("--format") == "cutlass";
  const auto answer = [&](const ListedProblem& listed) -> ListAnswer {
    Effort effort = asked_effort(args);
    effort.threads = 1;
    effort.most_alone = kMostAloneOfMany;
    effort.shortlist = listing ? Shortlist{} : shown_shortlist(listed.problem);
    const Ranking ranking = rank({.problem = listed.problem,
                                  .regime = listed.regime,
                                  .inputs = listed.inputs,
                                  .schedules = asked_schedules(args, listed.problem, gpu.spec),
                                  .listed = listed_configs,
                                  .effort = effort,
                                  .cutlass = cutlass},
                                 gpu.spec, cutlass ? std::max(top, kLookedAtForCutlass) : top);
    if (cutlass) {
      return {{}, {}, cutlass_rows(ranking, top, to_text(listed.problem) + ": ")};
    }
    static const MeasuredByConfig kNone;
    const RankingReport report{.gpu = gpu,
                               .ranking = ranking,
                               .top = top,
                               .elapsed = Seconds{0},
                               .measured = kNone,
                               .lines = listed_configs.lines,
                               .unread = listed_configs.unread};
    nlohmann::ordered_json object = ranking_object(report);
    object.erase("elapsed_ms");  // so that equal problems have equal output
    std::vector<nlohmann::ordered_json> rows = object["ranking"];
    for (const auto& [line, why] : unranked_lines(report)) {
      rows.push_back({{"config_line", line}, {"error", why}});
    }
    return {object, std::move(rows), list_rows(report)};
  };
  const std::string columns = std::string(kRankingColumns).append(listing ? kListedColumns : "");
  answer_list(args, {cutlass ? cutlass_header() : list_titles(listing), columns, answer});
  require_all_read(listed_configs);
}

}  // namespace

void run_predict(const Arguments& args) { asks_for_list(args) ? run_many(args) : run_one(args); }

}  // namespace tilecast
