// Child processes. One that runs this program's code must not outlive the process that made it,
// however that one ends: Linux sends a parent's death only to children that had asked for it by
// then; what a parent that was killed between fork() and that request leaves behind is found by its
// parent's number. Checked by: child_process_test.cpp, supervisor_test.cpp.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tilecast {

/// In a child, before anything else: the signal `number` ends it when the thread of the process
/// `parent` that forked it ends, and at once where that has ended already.
void end_with_parent(pid_t parent, int number);

/// Killed and waited for with the object, where it has not ended.
class ChildProcess {
 public:
  /// Forks and runs `body` in the child, which does not return from it but by mistake. The signal
  /// `ends_with_us` ends the child when the thread that forked it ends. Throws FileError.
  ChildProcess(int ends_with_us, const std::function<void()>& body);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  void signal(int number) const;
  /// Whether it has, without waiting.
  bool ended();
  /// Waits for its end; what waitpid says of it.
  int wait();
  /// The same as a shell has it: 128 + signal where one ended it.
  int exit_code();

 private:
  pid_t id_;
  int status_ = 0;
  bool ended_ = false;
};

/// For a child: this process becomes `program`, with `words` as its arguments, the program's name
/// among them; returns where that fails. `variables` (NAME=VALUE) replace those
/// of the environment.
void become(const std::filesystem::path& program, std::vector<std::string> words,
            std::vector<std::string> variables = {});

struct ChildResult {
  bool started;
  int exit_code;       // ChildProcess::exit_code; 127 where its libraries are missing
  std::string output;  // of both streams, in the order written
};

/// Waits for the program's end. A program that cannot be started is a result, not an exception.
ChildResult run_child(const std::filesystem::path& program,
                      const std::vector<std::string>& arguments);

/// The same, with this program's own streams, so that a user sees what the program says as it runs;
/// `output` stays empty.
ChildResult run_visibly(const std::filesystem::path& program,
                        const std::vector<std::string>& arguments);

}  // namespace tilecast
