#include "validate/run/supervisor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

#include "model/base/system_reason.h"
#include "model/base/text.h"
#include "validate/run/child_process.h"

namespace tilecast {
namespace {

constexpr int kContextLost = 100;  // exit status of a child that reported a lost context

/// Runs `body` in the child and never returns.
[[noreturn]] void be_the_child(const SupervisedRun& run, std::size_t first, int descriptor) {
  const TaskReporter reporter(descriptor);
  ExitCode code = ExitCode::kWrong;
  try {
    code = run.body(first, reporter);
  } catch (const Error& error) {
    code = error.code();
    reporter.error(code, error.what());
  } catch (const std::exception& error) {
    reporter.error(code, std::string("internal error: ") + error.what());
  }
  std::fflush(nullptr);
  _exit(static_cast<int>(code));  // skips destructors: the driver cleans up faster
}

/// One child, and its reports so far.
class Child {
 public:
  Child(const SupervisedRun& run, std::size_t first)
      : run_(run), next_(first), pipe_(open_pipe()), process_(SIGKILL, [&] {
          ::close(pipe_[0]);
          be_the_child(run, first, pipe_[1]);
        }) {
    ::close(pipe_[1]);
  }
  ~Child() { ::close(pipe_[0]); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Reads reports until the child ends or stops reporting.
  void listen() {
    for (;;) {
      pollfd poller{.fd = pipe_[0], .events = POLLIN, .revents = 0};
      const auto limit = began_ ? run_.task_limit : run_.start_limit;
      const int ready = ::poll(&poller, 1, static_cast<int>(limit.count()));
      if (ready < 0 && errno == EINTR) {
        continue;
      }
      if (ready == 0) {
        silent_ = fmt::format("no response for {} s; stopped",
                              std::chrono::duration_cast<std::chrono::seconds>(limit).count());
        process_.signal(SIGKILL);
      }
      char buffer[4096];
      const ssize_t count = ready > 0 ? ::read(pipe_[0], buffer, sizeof buffer) : 0;
      if (count <= 0) {
        break;
      }
      take(std::string_view(buffer, static_cast<std::size_t>(count)));
    }
    status_ = process_.wait();
  }

  /// Returns why the child ended before its work was done; std::nullopt if it was done.
  std::optional<std::string> why_it_died() const {
    if (!silent_.empty()) {
      return silent_;
    }
    if (!lost_reason_.empty()) {
      return lost_reason_;
    }
    if (WIFSIGNALED(status_)) {
      return fmt::format("the measuring process was killed by signal {} ({})", WTERMSIG(status_),
                         strsignal(WTERMSIG(status_)));
    }
    const int code = WEXITSTATUS(status_);
    if (code == static_cast<int>(ExitCode::kDone) || code == static_cast<int>(ExitCode::kPartial)) {
      return std::nullopt;
    }
    return fmt::format("the measuring process ended with status {}", code);
  }

  ExitCode exit_code() const { return static_cast<ExitCode>(WEXITSTATUS(status_)); }
  std::size_t next() const { return next_; }                       // first task not started
  std::optional<std::size_t> in_hand() const { return in_hand_; }  // task started and not finished
  bool began() const { return began_; }
  bool finished_any() const { return finished_any_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  void take(std::string_view bytes) {
    unread_ += bytes;
    for (std::size_t end; (end = unread_.find('\n')) != std::string::npos;) {
      take_line(unread_.substr(0, end));
      unread_.erase(0, end + 1);
    }
  }

  /// Format: `word number text`
  void take_line(const std::string& line) {
    const std::size_t first = line.find(' ');
    const std::size_t second = line.find(' ', first + 1);
    const std::string word = line.substr(0, first);
    const i64 number =
        parse_integer(std::string_view(line).substr(first + 1, second - first - 1)).value_or(0);
    const std::string text = line.substr(second + 1);
    const std::size_t task = static_cast<std::size_t>(number);
    if (word == "started") {
      run_.on_started(text);
    } else if (word == "begin") {
      began_ = true;
      in_hand_ = task;
      next_ = task + 1;
    } else if (word == "done") {
      in_hand_.reset();
      finished_any_ = true;
      run_.on_done(task, text);
    } else if (word == "lost") {
      lost_reason_ = text;
    } else if (word == "error") {
      error_ = Error(static_cast<ExitCode>(number), text);
    }
  }

  static std::array<int, 2> open_pipe() {
    std::array<int, 2> ends;
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw FileError(std::string("pipe: ") + system_reason(errno));
    }
    return ends;
  }

  const SupervisedRun& run_;
  std::size_t next_;
  std::array<int, 2> pipe_;
  ChildProcess process_;
  std::optional<std::size_t> in_hand_;
  bool began_ = false, finished_any_ = false;
  std::string unread_, silent_, lost_reason_;
  std::optional<Error> error_;
  int status_ = 0;
};

}  // namespace

void TaskReporter::send(const char* word, std::size_t number, const std::string& text) const {
  std::string line = fmt::format("{} {} {}", word, number, text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  for (std::string_view left = line; !left.empty();) {
    const ssize_t count = ::write(descriptor_, left.data(), left.size());
    if (count < 0 && errno != EINTR) {
      return;  // the parent has ended, which closes our end
    }
    left.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
}

void TaskReporter::lost(std::size_t task, const std::string& reason) const {
  send("lost", task, reason);
  std::fflush(nullptr);
  _exit(kContextLost);
}

void TaskReporter::error(ExitCode code, const std::string& message) const {
  send("error", static_cast<std::size_t>(code), message);
}

ExitCode supervise(const SupervisedRun& run) {
  int lost_in_a_row = 0;
  for (std::size_t first = 0; first < run.tasks;) {
    Child child(run, first);
    child.listen();
    lost_in_a_row = child.finished_any() ? 1 : lost_in_a_row + 1;
    if (child.error()) {
      throw *child.error();
    }
    const std::optional<std::string> death = child.why_it_died();
    if (!death) {
      return child.exit_code();
    }
    if (!child.began()) {
      throw DeviceError(*death);
    }
    if (child.in_hand()) {
      run.on_lost(*child.in_hand(), *death);
    }
    if (lost_in_a_row > run.most_lost_in_a_row) {
      throw DeviceError(
          fmt::format("gave up after {} failures in a row; the last: {}", lost_in_a_row, *death));
    }
    first = child.next();
  }
  return ExitCode::kDone;
}

}  // namespace tilecast
