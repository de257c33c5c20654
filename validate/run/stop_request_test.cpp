#include "validate/run/stop_request.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/catch.h"

using namespace tilecast;

namespace {

/// Runs `body` in a child with its own signal handling; returns its exit status.
template <class Body>
int in_child(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    _exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("A stop request is noted and does not end the process") {
  CHECK(in_child([] {
          heed_stop_requests();
          const bool none = stop_requested().empty();
          ::raise(SIGUSR1);
          return none && stop_requested() == "SIGUSR1" ? 7 : 1;
        }) == 7);
  CHECK(in_child([] {                  // without heed_stop_requests the signal ends the process
          ::signal(SIGTERM, SIG_DFL);  // resets Catch2's handler
          ::raise(SIGTERM);
          return 7;
        }) == 128 + SIGTERM);
}

TEST_CASE("A child sees its parent's signal, and the parent its child's") {
  for (const bool to_child : {true, false}) {
    CHECK(in_child([to_child] {
            heed_stop_requests();
            int ends[2];
            if (::pipe(ends) != 0) {
              return 1;
            }
            const pid_t child = ::fork();
            if (child == 0) {
              if (to_child) {
                ::raise(SIGTERM);
              } else {
                char told;
                (void)!::read(ends[0], &told, 1);  // waits until the parent has been signalled
              }
              _exit(stop_requested() == "SIGTERM" ? 0 : 1);
            }
            if (!to_child) {
              ::raise(SIGTERM);
              (void)!::write(ends[1], "x", 1);
            }
            int status = 1;
            ::waitpid(child, &status, 0);
            return status == 0 && stop_requested() == "SIGTERM" ? 7 : 1;
          }) == 7);
  }
}
