// SIGTERM and SIGUSR1, as a scheduler sends them ahead of the end of a job's time: the point in
// hand is measured to its end and written, then the run ends as partly done.
//
// Which process of a run a scheduler signals is not known: the parent, its measuring child, or
// both. The note is therefore a page of memory that a process shares with what it forks afterwards.
// Leaves out: SIGINT, which ends a run at once as it always did. Checked by: stop_request_test.cpp.
#pragma once

#include <string_view>

namespace tilecast {

/// From now on the two signals are noted and interrupt nothing, here and in children forked later.
/// Throws std::system_error.
void heed_stop_requests();

/// "SIGTERM" or "SIGUSR1", whichever came last to any of the processes that share the note; empty
/// while none did.
std::string_view stop_requested();

}  // namespace tilecast
