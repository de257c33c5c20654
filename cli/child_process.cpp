#include "cli/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "model/base/error.h"

extern char** environ;

namespace tilecast {
namespace {

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return text;
    }
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return -1;
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Starts it; 0, or what failed.
int start(pid_t& child, const std::filesystem::path& program,
          const std::vector<std::string>& arguments, posix_spawn_file_actions_t* actions) {
  std::string name = program.string();
  std::vector<std::string> words = arguments;
  std::vector<char*> argv{name.data()};
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  return ::posix_spawn(&child, name.c_str(), actions, nullptr, argv.data(), ::environ);
}

}  // namespace

ChildResult run_child(const std::filesystem::path& program,
                      const std::vector<std::string>& arguments) {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);

  pid_t child = 0;
  const int error = start(child, program, arguments, &actions);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  ChildResult result{.started = error == 0, .exit_code = 127, .output = {}};
  if (result.started) {
    result.output = read_all(ends[0]);
    result.exit_code = wait_for(child);
  }
  ::close(ends[0]);
  return result;
}

ChildResult run_visibly(const std::filesystem::path& program,
                        const std::vector<std::string>& arguments) {
  pid_t child = 0;
  const bool started = start(child, program, arguments, nullptr) == 0;
  return {.started = started, .exit_code = started ? wait_for(child) : 127, .output = {}};
}

}  // namespace tilecast
