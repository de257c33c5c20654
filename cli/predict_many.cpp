#include "cli/predict_many.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "cli/cutlass_output.h"
#include "cli/in_order.h"
#include "cli/output_parts.h"
#include "cli/predict_output.h"
#include "cli/problem_options.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/parallel.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/predict/predict.h"
#include "validate/record/csv_text.h"

namespace tilecast {
namespace {

std::string error_line(const ListedProblem& listed, const std::string& reason, bool json) {
  const std::string why = message_line(reason);
  if (!json) {
    return refused_row(fmt::format("{},{},,", listed.index, listed.line), why);
  }
  const nlohmann::ordered_json object = {
      {"schema", kAnswerSchema}, {"index", listed.index}, {"line", listed.line}, {"error", why}};
  return json_text(object);
}

/// The whole answer of `predict` on one line, with its place in front.
std::string answer_line(const ListedProblem& listed, const RankingReport& report, bool json) {
  if (json) {
    nlohmann::ordered_json object = {
        {"schema", kAnswerSchema}, {"index", listed.index}, {"line", listed.line}};
    object.update(ranking_object(report));
    object.erase("elapsed_ms");  // so that equal problems have equal answers
    return json_text(object);
  }
  return ranking_rows(
      report,
      fmt::format("{},{},{},", listed.index, listed.line, csv_field(to_text(listed.problem))), ",");
}

bool is_terminal(int stream) { return ::isatty(stream) == 1; }

/// What a complaint begins with, where a bar may be on its line.
const char* line_start() { return is_terminal(STDERR_FILENO) ? "\r\033[K" : ""; }

/// One line on standard error that is rewritten; of a pipe, whose end nobody knows, a count alone.
class ProgressBar {
 public:
  explicit ProgressBar(std::size_t all) : all_(all) {}

  void add() {
    ++done_;
    const auto now = std::chrono::steady_clock::now();
    const bool erased = is_terminal(STDOUT_FILENO);
    if (!terminal_ || (!erased && now - shown_ < std::chrono::milliseconds(100) && done_ != all_)) {
      return;
    }
    shown_ = now;
    std::string bar;
    if (all_ > 0) {
      constexpr std::size_t kWidth = 40;
      bar = fmt::format(" of {} [{:.<{}}]", all_, std::string(done_ * kWidth / all_, '#'), kWidth);
    }
    fmt::print(stderr, "{}{}{} problems", line_start(), done_, bar);
    std::fflush(stderr);
  }

  /// For a line that goes to the same terminal, or to end with.
  void erase() const {
    if (terminal_ && done_ > 0) {
      fmt::print(stderr, "{}", line_start());
      std::fflush(stderr);
    }
  }

 private:
  std::size_t all_, done_ = 0;
  bool terminal_ = is_terminal(STDERR_FILENO);
  std::chrono::steady_clock::time_point shown_{};
};

/// Of the shard, where the list can be read twice; 0 where it cannot.
std::size_t count_problems(std::istream& input, const ManyOptions& options, const Shard& shard) {
  const std::streampos begin = input.tellg();
  if (options.problems == "-" || !is_terminal(STDERR_FILENO) || begin == std::streampos(-1)) {
    return 0;
  }
  std::size_t count = 0;
  read_problems(input, options.problems, options.defaults, shard,
                [&](const ListedProblem&) { ++count; });
  input.clear();
  input.seekg(begin);
  return count;
}

/// Rows of the test list, and on standard error what has no counterpart.
std::string cutlass_rows(const ListedProblem& listed, const Ranking& ranking, std::size_t top) {
  const CutlassList list = cutlass_list(ranking, top);
  if (list.rows.empty()) {
    throw ConfigError("none of the fastest has a counterpart in CUTLASS" + without_text(list));
  }
  if (!list.without.empty()) {
    fmt::print(stderr, "{}{}: faster ones without a counterpart in CUTLASS{}\n", line_start(),
               to_text(listed.problem), without_text(list));
  }
  return list.rows;
}

/// At once, so that a reader who went away ends the program, and not after the last problem.
void write_now(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw std::system_error(errno, std::generic_category(), "standard output");
  }
}

}  // namespace

std::vector<ConfigPattern> read_configs(const std::string& path) {
  std::vector<ConfigPattern> configs;
  if (path.empty()) {
    return configs;
  }
  const std::string text = read_text(path);
  std::set<std::string, std::less<>> seen;
  std::size_t number = 0, repeated = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = line.substr(0, line.find_last_not_of(" \t\r\"") + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t\""), line.size()));
    if (line.empty() || line.front() == '#') {
      continue;
    }
    if (!seen.emplace(line).second) {
      ++repeated;
      continue;
    }
    try {
      configs.emplace_back(line);
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  if (configs.empty()) {
    throw ConfigError(path + ": expected a configuration on each line, such as 128x256x64");
  }
  if (repeated > 0) {
    fmt::print(stderr, "{}: {}, {} repeated\n", on_one_line(path),
               counted(configs.size(), "configuration"), with_commas(static_cast<i64>(repeated)));
  }
  return configs;
}

void predict_many(const ManyOptions& options) {
  const Waiting waiting = Waiting::off_terminal("predict");
  const LoadedGpu gpu = load_asked_gpu(options.gpu, options.use_calibration);
  const Shard shard = options.shard.empty() ? Shard{} : parse_shard(options.shard);
  std::ifstream file;
  if (options.problems != "-") {
    check_readable(options.problems);
    file.open(options.problems);
  }
  std::istream& input = options.problems == "-" ? std::cin : file;
  const bool cutlass = options.format == "cutlass";
  const bool json = options.format != "csv" && !cutlass;
  std::string header = json      ? ""
                       : cutlass ? cutlass_header()
                                 : fmt::format("index,line,problem,{},error\n", kRankingColumns);
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
      if (cutlass && schedules.empty()) {
        schedules = cutlass_schedules();
      }
      const Effort effort{
          .method = options.method ? std::optional(parse_method(*options.method)) : std::nullopt,
          .simulations = options.simulations,
          .threads = 1};
      const Ranking ranking =
          options.configs.empty()
              ? rank_candidates(gpu.spec, listed.problem, schedules, listed.regime, listed.inputs,
                                cutlass ? std::max(options.top, kLookedAtForCutlass) : options.top,
                                effort)
              : rank_configs(gpu.spec, listed.problem, options.configs, listed.regime,
                             listed.inputs, effort);
      if (cutlass) {
        std::string rows = cutlass_rows(listed, ranking, options.top);
        ++answered;
        return rows;
      }
      static const MeasuredByConfig kNone;
      ++answered;
      return answer_line(listed, {gpu, ranking, options.top, Seconds{0}, kNone}, json);
    } catch (const ConfigError& error) {
      ++failed;
      if (cutlass) {  // its profiler reads no errors
        fmt::print(stderr, "{}tilecast: problem {}: {}\n", line_start(), listed.index,
                   message_line(error.what()));
        return std::string();
      }
      return error_line(listed, error.what(), json);
    }
  };
  const auto start = std::chrono::steady_clock::now();
  const unsigned threads = options.threads > 0 ? options.threads : processor_count();
  ProgressBar progress(count_problems(input, options, shard));
  InOrder in_order(threads, [&](const std::string& text) {
    if (is_terminal(STDOUT_FILENO)) {
      progress.erase();
    }
    write_now(std::exchange(header, "") + text);
    progress.add();
  });
  const std::string name = options.problems == "-" ? "standard input" : options.problems;
  read_problems(input, name, options.defaults, shard, [&](ListedProblem listed) {
    in_order.give([&answer, problem = std::move(listed)] { return answer(problem); });
  });
  in_order.finish();
  write_now(header);  // of a shard without problems
  progress.erase();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const std::size_t all = answered + failed;
  fmt::print(stderr, "{} in {:.1f} s, {:.1f}/s on {} threads\n", counted(all, "problem"),
             took.count(), static_cast<double>(all) / took.count(), threads);
  if (failed > 0) {
    throw Error(ExitCode::kPartial,
                fmt::format("{} of {} problems could not be predicted; {} why", failed.load(), all,
                            cutlass ? "the lines above say" : "their `error` says"));
  }
}

}  // namespace tilecast
