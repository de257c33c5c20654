#include "cli/problem_list.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>
#include <utility>

#include "cli/in_order.h"
#include "cli/problem_options.h"
#include "cli/say.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/parallel.h"
#include "model/base/text.h"
#include "validate/run/status_line.h"

namespace tilecast {
namespace {

bool is_terminal(int stream) { return ::isatty(stream) == 1; }

/// Shows how much of the list is done; for a pipe, whose length is unknown, without a bar.
class ProgressBar {
 public:
  explicit ProgressBar(std::size_t all) : all_(all) {}

  void add() {
    ++done_;
    const auto now = std::chrono::steady_clock::now();
    const bool erased = is_terminal(STDOUT_FILENO);
    if (erased || now - shown_ >= std::chrono::milliseconds(100) || done_ == all_) {
      constexpr std::size_t kWidth = 40;
      shown_ = now;
      line_.show(all_ == 0 ? fmt::format("{} problems", done_)
                           : fmt::format("{} of {} [{:.<{}}] problems", done_, all_,
                                         std::string(done_ * kWidth / all_, '#'), kWidth));
    }
  }

 private:
  std::size_t all_, done_ = 0;
  StatusLine line_;
  std::chrono::steady_clock::time_point shown_{};
};

/// Writes immediately, so that a closed pipe ends the program at once instead of after the last
/// problem.
void write_now(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw std::system_error(errno, std::generic_category(), "standard output");
  }
}

}  // namespace

void begin_line() {
  if (is_terminal(STDERR_FILENO)) {
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
  }
}

namespace {

/// Returns the output in the format, or why there is none.
std::string answer_text(const std::string& format, const ListedProblem& listed,
                        const ListAnswers& answers, const ListAnswer& answer,
                        const std::string& why) {
  const auto place = [&](nlohmann::ordered_json rest) {
    nlohmann::ordered_json line = {
        {"schema", kAnswerSchema}, {"index", listed.index}, {"line", listed.line}};
    line.update(why.empty() ? std::move(rest) : nlohmann::ordered_json{{"error", why}});
    return line;
  };
  if (format.starts_with("json")) {
    std::string line = json_text(place(answer.object));
    return format == "json" ? line.substr(0, line.size() - 1) : line;
  }
  if (format == "csv") {
    std::string text;
    for (const nlohmann::ordered_json& row :
         why.empty() ? answer.rows : std::vector(1, nlohmann::ordered_json::object())) {
      nlohmann::ordered_json whole = place(row);
      if (why.empty()) {
        whole["problem"] = to_text(listed.problem);
      }
      text += fmt::format("{},{},{}\n", csv_cells(whole, "index,line,problem"),
                          csv_cells(row, answers.columns), csv_cells(whole, "error"));
    }
    return text;
  }
  if (format == "cutlass" && !why.empty()) {  // CUTLASS's profiler accepts no errors
    begin_line();
    say("tilecast: problem {}: {}", listed.index, why);
    return "";
  }
  return why.empty() ? answer.text : wrapped(fmt::format("line {}: ", listed.line), why);
}

}  // namespace

bool asks_for_list(const Arguments& args) {
  return args.given("--problems") || !several_shapes(args).empty();
}

void answer_list(const Arguments& args, const ListAnswers& answers) {
  const std::string format = args.text("--format");
  const std::string path = args.text("--problems");
  const ProblemDefaults defaults{std::string(to_text(asked_op(args))),
                                 args.text("--dtype"),
                                 args.text("--regime"),
                                 args.text("--inputs"),
                                 args.text_of("--batch"),
                                 asked_gemm_fields(args)};
  const Shard shard = args.given("--shard") ? parse_shard(args.text("--shard")) : Shard{};
  const auto asked = static_cast<unsigned>(args.number("--threads"));
  const unsigned threads = asked > 0 ? asked : processor_count();
  std::ifstream file;
  std::istringstream shapes(join(several_shapes(args), "\n"));
  if (!path.empty() && path != "-") {
    check_readable(path);
    file.open(path);
  }
  std::istream& input = path.empty() ? shapes : path == "-" ? std::cin : file;
  const std::string name = path.empty() ? "SHAPE" : path == "-" ? "standard input" : path;
  const auto read = [&](const std::function<void(ListedProblem)>& take) {
    read_problems(input, name, defaults, shard, take);
  };
  std::size_t known = 0;  // number of problems, if the list can be read twice
  if (const std::streampos begin = input.tellg(); path != "-" && begin != std::streampos(-1)) {
    read([&](const ListedProblem&) { ++known; });
    input.clear();
    input.seekg(begin);
  }
  std::atomic<std::size_t> all = 0, failed = 0;
  const auto answer = [&](const ListedProblem& listed) {
    ++all;
    try {
      if (!listed.error.empty()) {
        throw ConfigError(listed.error);
      }
      return answer_text(format, listed, answers, answers.answer(listed), "");
    } catch (const ConfigError& error) {
      ++failed;
      return answer_text(format, listed, answers, {}, message_line(error.what()));
    }
  };
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  ProgressBar progress(known);
  std::atomic<std::size_t> done = 0;
  const Waiting waiting = Waiting::off_terminal([&] {
    const auto share = static_cast<double>(done) / static_cast<double>(known);
    return fmt::format("{}, {}{} problems{}", args.command(), done.load(),
                       known > 0 ? fmt::format(" of {}", known) : "",
                       known > done && done > 0
                           ? fmt::format(", about {:.0f} s left", passed() * (1 / share - 1))
                           : "");
  });
  const bool is_json_list = format == "json";
  std::string before =  // the next problem
      is_json_list        ? "[\n"
      : format == "jsonl" ? ""
      : format == "csv" ? fmt::format("index,line,problem,{},error\n", csv_titles(answers.columns))
                        : answers.titles;
  InOrder in_order(threads, [&](const std::string& text) {
    if (is_terminal(STDOUT_FILENO)) {
      begin_line();
    }
    write_now(std::exchange(before, is_json_list ? ",\n" : "") + text);
    ++done;
    progress.add();
  });
  read([&](ListedProblem listed) {
    in_order.give([&answer, problem = std::move(listed)] { return answer(problem); });
  });
  in_order.finish();
  if (done == 0) {  // a shard without problems
    write_now(before);
  }
  write_now(is_json_list ? "\n]\n" : "");
  begin_line();
  const double took = passed();
  say("{} in {:.1f} s, {:.1f}/s on {} threads", counted(all, "problem"), took,
      static_cast<double>(all) / took, threads);
  if (failed > 0) {
    throw Error(ExitCode::kPartial,
                fmt::format("{} of {} problems have no prediction", failed.load(), all.load()));
  }
}

}  // namespace tilecast
