#include "cli/problem_list.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <system_error>
#include <utility>

#include "cli/in_order.h"
#include "cli/problem_options.h"
#include "cli/say.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/parallel.h"

namespace tilecast {
namespace {

bool is_terminal(int stream) { return ::isatty(stream) == 1; }

/// One line on standard error that is rewritten; for a pipe, whose length is unknown, only a count.
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
    begin_line();
    fmt::print(stderr, "{}{} problems", done_, bar);
    std::fflush(stderr);
  }

 private:
  std::size_t all_, done_ = 0;
  bool terminal_ = is_terminal(STDERR_FILENO);
  std::chrono::steady_clock::time_point shown_{};
};

/// At once, so that a reader who went away ends the program, and not after the last problem.
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

void answer_list(const Arguments& args, const ListAnswers& answers, const std::string& why) {
  const std::string path = args.text("--problems");
  const ProblemDefaults defaults{args.text("--op"),       args.text("--dtype"),
                                 args.text("--regime"),   args.text("--inputs"),
                                 args.text_of("--batch"), asked_gemm_fields(args)};
  const Shard shard = args.given("--shard") ? parse_shard(args.text("--shard")) : Shard{};
  const auto asked = static_cast<unsigned>(args.number("--threads"));
  const unsigned threads = asked > 0 ? asked : processor_count();
  const Waiting waiting = Waiting::off_terminal(std::string(args.command()));
  std::ifstream file;
  if (path != "-") {
    check_readable(path);
    file.open(path);
  }
  std::istream& input = path == "-" ? std::cin : file;
  const auto read = [&](const std::function<void(ListedProblem)>& take) {
    read_problems(input, path == "-" ? "standard input" : path, defaults, shard, take);
  };
  std::size_t known = 0;  // how many there are, where the list can be read twice
  if (const std::streampos begin = input.tellg();
      path != "-" && is_terminal(STDERR_FILENO) && begin != std::streampos(-1)) {
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
      return answers.answer(listed);
    } catch (const ConfigError& error) {
      ++failed;
      return answers.refusal(listed, message_line(error.what()));
    }
  };
  const auto start = std::chrono::steady_clock::now();
  ProgressBar progress(known);
  std::string header = answers.header;
  InOrder in_order(threads, [&](const std::string& text) {
    if (is_terminal(STDOUT_FILENO)) {
      begin_line();
    }
    write_now(std::exchange(header, "") + text);
    progress.add();
  });
  read([&](ListedProblem listed) {
    in_order.give([&answer, problem = std::move(listed)] { return answer(problem); });
  });
  in_order.finish();
  write_now(header);  // of a shard without problems
  begin_line();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  say("{} in {:.1f} s, {:.1f}/s on {} threads", counted(all, "problem"), took.count(),
      static_cast<double>(all) / took.count(), threads);
  if (failed > 0) {
    throw Error(ExitCode::kPartial,
                fmt::format("{} of {} problems {}", failed.load(), all.load(), why));
  }
}

}  // namespace tilecast
