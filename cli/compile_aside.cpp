#include "cli/compile_aside.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <system_error>

#include "validate/run/end_with_parent.h"

namespace tilecast {

CompileAside::CompileAside(const std::function<void()>& compile) {
  constexpr int kLowPriority = 10;
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ < 0) {
    throw std::system_error(errno, std::generic_category(), "fork");
  }
  if (child_ == 0) {
    end_with_parent(parent, SIGKILL);
    (void)::setpriority(PRIO_PROCESS, 0, kLowPriority);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    (void)::dup2(nowhere, STDERR_FILENO);
    try {
      compile();
    } catch (const std::exception&) {
      std::_Exit(EXIT_FAILURE);
    }
    std::_Exit(EXIT_SUCCESS);
  }
}

CompileAside::~CompileAside() {
  ::kill(child_, SIGKILL);  // its own child ends with it
  (void)::waitpid(child_, nullptr, 0);
}

}  // namespace tilecast
