// Child processes. A child that runs this program's code must not outlive its parent, however the
// parent ends. Linux notifies children of the parent's death only after they have requested it, so
// a parent that is killed between fork() and that request is detected by its pid. Checked by:
// child_process_test.cpp, supervisor_test.cpp.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tilecast {

/// Call first in a child: sends signal `number` to the child when the forking thread of process
/// `parent` ends, or immediately if it has already ended.
void end_with_parent(pid_t parent, int number);

/// The destructor kills and reaps a child that is still running.
class ChildProcess {
 public:
  /// Forks and runs `body` in the child; `body` must not return. Signal `ends_with_us` ends the
  /// child when the forking thread ends. Throws FileError.
  ChildProcess(int ends_with_us, const std::function<void()>& body);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  void signal(int number) const;
  /// Whether the child has ended, without blocking.
  bool ended();
  /// Waits for the child's end; returns the status of waitpid.
  int wait();
  /// Waits for the child's end; returns a shell's exit code: 128 + signal if a signal ended it.
  int exit_code();

 private:
  pid_t id_;
  int status_ = 0;
  bool ended_ = false;
};

/// Executes `program` in a child with the arguments `words`, including argv[0]; returns only on
/// failure. `variables` (NAME=VALUE) replace those of the environment.
void become(const std::filesystem::path& program, std::vector<std::string> words,
            std::vector<std::string> variables = {});

struct ChildResult {
  bool started;
  int exit_code;       // exit code as in ChildProcess::exit_code; 127 if libraries are missing
  std::string output;  // both streams, in the order written
};

/// Waits for the program's end. A failure to start it is reported in the result, not thrown.
ChildResult run_child(const std::filesystem::path& program,
                      const std::vector<std::string>& arguments);

/// Runs a program on this program's streams and waits for its end, so that the user sees its output
/// while it runs; `output` stays empty.
ChildResult run_visibly(const std::filesystem::path& program,
                        const std::vector<std::string>& arguments);

}  // namespace tilecast
