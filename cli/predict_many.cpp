#include "cli/predict_many.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/in_order.h"
#include "cli/predict_output.h"
#include "model/base/error.h"
#include "model/base/parallel.h"
#include "model/base/text.h"
#include "model/predict/on_card.h"
#include "model/predict/predict.h"
#include "validate/record/csv_text.h"

namespace tilecast {
namespace {

std::string error_line(const ListedProblem& listed, const std::string& why, bool json) {
  if (!json) {
    return fmt::format("{},{},,,,,,,,,,,,,,,{}\n", listed.index, listed.line, csv_field(why));
  }
  const nlohmann::ordered_json object = {
      {"schema", 1}, {"index", listed.index}, {"line", listed.line}, {"error", why}};
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// The whole answer of `predict` on one line, with its place in front.
std::string answer_line(const ListedProblem& listed, const RankingReport& report, bool json) {
  if (json) {
    nlohmann::ordered_json object = {{"schema", 1}, {"index", listed.index}, {"line", listed.line}};
    object.update(nlohmann::ordered_json::parse(ranking_json(report)));
    object.erase("elapsed_ms");  // so that equal problems have equal answers
    return object.dump() + "\n";
  }
  std::string text;
  const std::string rows = ranking_csv(report);
  const std::vector<std::string_view> lines = split(rows, '\n');
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) {  // behind the header
    text +=
        fmt::format("{},{},{},{},\n", listed.index, listed.line, to_text(listed.problem), lines[i]);
  }
  return text;
}

constexpr std::string_view kCsvHeader =
    "index,line,problem,rank,config,cycles,sm_clock_mhz,time_us,interval_low_us,interval_high_us,"
    "tflops,power_w,limiter,l2_to_sm_bytes,dram_read_bytes,dram_write_bytes,measured_time_us,"
    "method,"
    "error\n";

}  // namespace

std::optional<Cards> cards_of(const LoadedGpu& gpu, const std::optional<std::string>& card) {
  std::optional<Cards> cards = load_cards(cards_path(gpu.path), gpu.spec.name);
  if (card) {
    (void)cards.value_or(Cards{}).card(*card);
  }
  return cards;
}

void predict_many(const ManyOptions& options) {
  const LoadedGpu gpu = load_gpu(options.gpu, options.use_calibration);
  const std::optional<Cards> cards = cards_of(gpu, options.card);
  const Shard shard = options.shard.empty() ? Shard{} : parse_shard(options.shard);
  std::ifstream file;
  if (options.problems != "-") {
    file.open(options.problems);
    if (!file) {
      throw FileError(options.problems + ": cannot read");
    }
  }
  std::istream& input = options.problems == "-" ? std::cin : file;
  const bool json = options.format != "csv";
  if (!json) {
    fmt::print("{}", kCsvHeader);
  }
  std::atomic<std::size_t> failed = 0, answered = 0;
  const auto answer = [&](const ListedProblem& listed) {
    try {
      if (!listed.error.empty()) {
        throw ConfigError(listed.error);
      }
      const Op op = op_of(listed.problem);
      std::vector<AnySchedule> schedules;
      for (const std::string& name : options.schedules) {
        schedules.push_back(parse_schedule(op, name));
      }
      Ranking ranking = rank_candidates(
          gpu.spec, listed.problem, schedules, listed.regime, listed.inputs, options.top,
          {.method = options.method ? std::optional(parse_method(*options.method)) : std::nullopt,
           .threads = 1});
      if (cards) {
        on_cards(gpu.spec, *cards, options.card, ranking);
      }
      static const MeasuredByConfig kNone;
      ++answered;
      return answer_line(listed, {gpu, ranking, options.top, Seconds{0}, kNone}, json);
    } catch (const ConfigError& error) {
      ++failed;
      return error_line(listed, error.what(), json);
    }
  };
  const auto start = std::chrono::steady_clock::now();
  const unsigned threads = options.threads > 0 ? options.threads : processor_count();
  InOrder in_order(threads, [](const std::string& text) {
    fmt::print("{}", text);
    std::fflush(stdout);
  });
  read_problems(input, options.defaults, shard, [&](ListedProblem listed) {
    in_order.give([&answer, problem = std::move(listed)] { return answer(problem); });
  });
  in_order.finish();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const std::size_t all = answered + failed;
  fmt::print(stderr, "{} problems in {:.1f} s, {:.1f}/s on {} threads\n", all, took.count(),
             static_cast<double>(all) / took.count(), threads);
  if (failed > 0) {
    throw Error(ExitCode::kPartial,
                fmt::format("{} of {} problems could not be predicted; their `error` says why",
                            failed.load(), all));
  }
}

}  // namespace tilecast
