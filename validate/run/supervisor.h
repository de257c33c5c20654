// Runs a list of tasks in a child process, so that a kernel that faults (which ends its CUDA
// context) or hangs costs one task and not the run: the parent notes the task and starts another
// child behind it. The parent makes no CUDA call, before or after.
//
// What it leaves out: a fault in one task that corrupts memory used by a later one goes unnoticed
// here; each task checks its own results. Checked by supervisor_test.cpp.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "model/base/error.h"
#include "model/base/integers.h"

namespace tilecast {

/// The child's end of the pipe. Texts are one line each.
class TaskReporter {
 public:
  explicit TaskReporter(int descriptor) : descriptor_(descriptor) {}

  /// What the parent should know before any task is lost; passed to `on_started`.
  void started(const std::string& text) const { send("started", 0, text); }
  void begin(std::size_t task) const { send("begin", task, ""); }
  /// Shows that the child is alive; the deadline starts again.
  void alive() const { send("alive", 0, ""); }
  void done(std::size_t task, const std::string& text) const { send("done", task, text); }
  /// Ends the child: the task failed and took the process's CUDA context with it.
  [[noreturn]] void lost(std::size_t task, const std::string& reason) const;
  void error(ExitCode code, const std::string& message) const;

 private:
  void send(const char* word, std::size_t number, const std::string& text) const;

  int descriptor_;
};

struct SupervisedRun {
  std::size_t tasks;
  /// In the child: does tasks from `first` on and reports each. kPartial ends the run early.
  std::function<ExitCode(std::size_t first, const TaskReporter&)> body;
  /// In the parent.
  std::function<void(const std::string& text)> on_started;
  std::function<void(std::size_t task, const std::string& text)> on_done;
  std::function<void(std::size_t task, const std::string& reason)> on_lost;
  std::chrono::milliseconds start_limit{120'000};  // until the first task begins
  std::chrono::milliseconds task_limit{30'000};    // between two signs of life
  int most_lost_in_a_row = 8;                      // more mean that the GPU is gone
};

/// kDone, or the code with which `body` ended early. Rethrows in the parent the Error that ended a
/// child. Throws DeviceError where a child dies before its first task begins, or too many tasks in
/// a row are lost.
ExitCode supervise(const SupervisedRun& run);

}  // namespace tilecast
