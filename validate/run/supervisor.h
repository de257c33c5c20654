// Runs a list of tasks in a child process, so that a kernel that faults (which destroys its CUDA
// context) or hangs costs one task and not the run: the parent records the loss and starts another
// child for the remaining tasks. The parent makes no CUDA calls.
//
// Not covered: a fault that silently corrupts memory used by a later task; each task verifies its
// result. Checked by supervisor_test.cpp.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "model/base/error.h"

namespace tilecast {

/// The child's end of the pipe. Texts must be single lines.
class TaskReporter {
 public:
  explicit TaskReporter(int descriptor) : descriptor_(descriptor) {}

  /// Sends a message to the parent before any task; passed to `on_started`.
  void started(const std::string& text) const { send("started", 0, text); }
  void begin(std::size_t task) const { send("begin", task, ""); }
  /// Heartbeat: restarts the deadline.
  void alive() const { send("alive", 0, ""); }
  void done(std::size_t task, const std::string& text) const { send("done", task, text); }
  /// Ends the child: the task failed and destroyed the process's CUDA context.
  [[noreturn]] void lost(std::size_t task, const std::string& reason) const;
  void error(ExitCode code, const std::string& message) const;

 private:
  void send(const char* word, std::size_t number, const std::string& text) const;

  int descriptor_;
};

struct SupervisedRun {
  std::size_t tasks;
  /// Runs in the child: performs tasks from `first` on and reports each. Returning kPartial ends
  /// the run early.
  std::function<ExitCode(std::size_t first, const TaskReporter&)> body;
  /// Runs in the parent.
  std::function<void(const std::string& text)> on_started;
  std::function<void(std::size_t task, const std::string& text)> on_done;
  std::function<void(std::size_t task, const std::string& reason)> on_lost;
  std::chrono::milliseconds start_limit{120'000};  // limit until the first task starts
  std::chrono::milliseconds task_limit{30'000};    // limit between two heartbeats
  int most_lost_in_a_row = 8;                      // more losses in a row mean that the GPU is lost
};

/// Returns kDone, or the code with which `body` ended early. Rethrows in the parent the Error that
/// ended a child. Throws DeviceError if a child dies before its first task, or if too many tasks in
/// a row are lost.
ExitCode supervise(const SupervisedRun& run);

}  // namespace tilecast
