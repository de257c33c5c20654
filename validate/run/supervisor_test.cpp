#include "validate/run/supervisor.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <thread>

#include "tests/catch.h"
#include "tests/error_message.h"
#include "validate/run/child_process.h"
#include "validate/run/stop_request.h"

using namespace tilecast;

namespace {

struct Outcome {
  std::map<std::size_t, std::string> done, lost;
  std::string started;
};

SupervisedRun run_of(std::size_t tasks, Outcome& outcome,
                     std::function<void(std::size_t, const TaskReporter&)> task) {
  return {.tasks = tasks,
          .body =
              [=](std::size_t first, const TaskReporter& reporter) {
                reporter.started("ready");
                for (std::size_t i = first; i < tasks; ++i) {
                  reporter.begin(i);
                  task(i, reporter);
                  reporter.done(i, "ok " + std::to_string(i));
                }
                return ExitCode::kDone;
              },
          .on_started = [&](const std::string& text) { outcome.started = text; },
          .on_done = [&](std::size_t i, const std::string& text) { outcome.done[i] = text; },
          .on_lost = [&](std::size_t i, const std::string& why) { outcome.lost[i] = why; }};
}

}  // namespace

TEST_CASE("Tasks that succeed are all reported by one child") {
  Outcome outcome;
  CHECK(supervise(run_of(3, outcome, [](std::size_t, const TaskReporter&) {})) == ExitCode::kDone);
  CHECK(outcome.started == "ready");
  CHECK(outcome.done == std::map<std::size_t, std::string>{{0, "ok 0"}, {1, "ok 1"}, {2, "ok 2"}});
  CHECK(outcome.lost.empty());
}

TEST_CASE("A task that kills its process, or reports a loss, is the only one lost") {
  Outcome outcome;
  supervise(run_of(5, outcome, [](std::size_t i, const TaskReporter& reporter) {
    if (i == 1) {
      ::raise(SIGKILL);
    }
    if (i == 3) {
      reporter.lost(i, "an illegal\naddress");
    }
  }));
  CHECK(outcome.done.size() == 3);
  REQUIRE(outcome.lost.size() == 2);
  CHECK(contains(outcome.lost[1], "signal 9"));
  CHECK(outcome.lost[3] == "an illegal address");
}

TEST_CASE("A hanging task is stopped and the next one runs") {
  Outcome outcome;
  SupervisedRun run = run_of(2, outcome, [](std::size_t i, const TaskReporter&) {
    while (i == 0) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
  });
  run.task_limit = std::chrono::milliseconds(200);
  supervise(run);
  CHECK(outcome.lost.count(0) == 1);
  CHECK(outcome.done.count(1) == 1);
}

TEST_CASE("An error in the child is thrown in the parent with its code") {
  Outcome outcome;
  SupervisedRun run =
      run_of(1, outcome, [](std::size_t, const TaskReporter&) { throw FileError("no space"); });
  CHECK(ERROR_MESSAGE(supervise(run)) == "6 no space");
}

TEST_CASE("A child that dies before its first task ends the run instead of restarting forever") {
  Outcome outcome;
  SupervisedRun run = run_of(1, outcome, [](std::size_t, const TaskReporter&) {});
  run.body = [](std::size_t, const TaskReporter&) -> ExitCode { _exit(77); };
  CHECK_THROWS_AS(supervise(run), DeviceError);
}

TEST_CASE("kPartial from the body is returned") {
  Outcome outcome;
  SupervisedRun run = run_of(2, outcome, [](std::size_t, const TaskReporter&) {});
  run.body = [](std::size_t, const TaskReporter& reporter) {
    reporter.begin(0);
    reporter.done(0, "");
    return ExitCode::kPartial;
  };
  CHECK(supervise(run) == ExitCode::kPartial);
  CHECK(outcome.done.size() == 1);
}

TEST_CASE("A run in which every task dies is abandoned after the limit") {
  Outcome outcome;
  SupervisedRun run =
      run_of(50, outcome, [](std::size_t, const TaskReporter&) { ::raise(SIGKILL); });
  run.most_lost_in_a_row = 3;
  CHECK_THROWS_AS(supervise(run), DeviceError);
  CHECK(outcome.lost.size() == 4);  // the fourth is one too many
}

TEST_CASE("A child whose parent was killed right after fork() ends") {
  for (const int number : {SIGKILL, SIGTERM}) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t parent = ::fork();
    REQUIRE(parent >= 0);
    if (parent == 0) {
      heed_stop_requests();  // installs a handler that the child inherits
      const pid_t dying = ::getpid();
      const pid_t child = ::fork();
      if (child == 0) {
        while (::getppid() == dying) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        end_with_parent(dying, number);
        (void)!::write(ends[1], "x", 1);
      }
      _exit(child < 0 ? 1 : 0);
    }
    int status = 0;
    ::waitpid(parent, &status, 0);
    CHECK(status == 0);
    ::close(ends[1]);
    char alive;
    CHECK(::read(ends[0], &alive, 1) == 0);  // the last writer of the pipe ended without a report
    ::close(ends[0]);
  }
}
