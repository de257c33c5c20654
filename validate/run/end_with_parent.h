// A forked child that must not outlive the process that made it, however that one ends.
// Linux sends a parent's death only to children that had asked for it by then; what a parent that
// was killed between fork() and that request leaves behind is found by its parent's number.
// Checked by: supervisor_test.cpp.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace tilecast {

/// In a child, before anything else: the signal `number` ends it when the thread of the process
/// `parent` that forked it ends, and at once where that has ended already.
inline void end_with_parent(pid_t parent, int number) {
  ::signal(number, SIG_DFL);  // a handler of the parent's would only note it
  ::prctl(PR_SET_PDEATHSIG, number);
  if (::getppid() != parent) {
    ::raise(number);
  }
}

}  // namespace tilecast
