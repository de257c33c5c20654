#include "validate/run/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

#include "model/base/error.h"
#include "model/base/system_reason.h"

extern char** environ;

namespace tilecast {
namespace {

constexpr int kNotStarted = 127;  // exit code of a shell for a program that cannot start

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

ChildResult run_program(const std::filesystem::path& program, std::vector<std::string> words,
                        bool keeps_output) {
  words.insert(words.begin(), program.string());
  ChildResult result{::access(program.c_str(), X_OK) == 0, kNotStarted, {}};
  if (!result.started) {
    return result;
  }
  std::array<int, 2> ends{-1, -1};
  if (keeps_output && ::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw FileError(std::string("pipe: ") + system_reason(errno));
  }
  ChildProcess child(SIGTERM, [&] {
    if (keeps_output) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::dup2(ends[1], STDERR_FILENO);
    }
    become(program, words);
  });
  if (keeps_output) {
    ::close(ends[1]);
    result.output = read_all(ends[0]);
    ::close(ends[0]);
  }
  result.exit_code = child.exit_code();
  return result;
}

}  // namespace

void end_with_parent(pid_t parent, int number) {
  ::signal(number, SIG_DFL);  // the parent's handler would only record it
  ::prctl(PR_SET_PDEATHSIG, number);
  if (::getppid() != parent) {
    ::raise(number);
  }
}

ChildProcess::ChildProcess(int ends_with_us, const std::function<void()>& body) {
  std::fflush(nullptr);  // the child would otherwise flush the parent's buffers too
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ < 0) {
    throw FileError(std::string("fork: ") + system_reason(errno));
  }
  if (id_ == 0) {
    end_with_parent(parent, ends_with_us);
    body();
    ::_exit(kNotStarted);
  }
}

ChildProcess::~ChildProcess() {
  signal(SIGKILL);
  wait();
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(other.id_), status_(other.status_), ended_(std::exchange(other.ended_, true)) {}

void ChildProcess::signal(int number) const {
  if (!ended_) {
    ::kill(id_, number);
  }
}

bool ChildProcess::ended() {
  ended_ = ended_ || ::waitpid(id_, &status_, WNOHANG) != 0;
  return ended_;
}

int ChildProcess::wait() {
  while (!ended_) {
    ended_ = ::waitpid(id_, &status_, 0) >= 0 || errno != EINTR;
  }
  return status_;
}

int ChildProcess::exit_code() {
  const int status = wait();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void become(const std::filesystem::path& program, std::vector<std::string> words,
            std::vector<std::string> variables) {
  std::vector<char*> argv, envp;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  for (std::string& variable : variables) {
    envp.push_back(variable.data());
  }
  for (char** variable = ::environ; *variable != nullptr; ++variable) {
    const auto replaces = [&](const std::string& given) {
      return std::string_view(*variable).starts_with(given.substr(0, given.find('=') + 1));
    };
    if (std::ranges::none_of(variables, replaces)) {
      envp.push_back(*variable);
    }
  }
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  ::execve(program.c_str(), argv.data(), envp.data());
}

ChildResult run_child(const std::filesystem::path& program,
                      const std::vector<std::string>& arguments) {
  return run_program(program, arguments, true);
}

ChildResult run_visibly(const std::filesystem::path& program,
                        const std::vector<std::string>& arguments) {
  return run_program(program, arguments, false);
}

}  // namespace tilecast
