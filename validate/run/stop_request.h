// Handles SIGTERM and SIGUSR1, which schedulers send before a job's time limit: the current point
// is measured and written; then the run ends as partly done.
//
// A scheduler may signal the parent, its measuring child, or both. The flag is therefore in a page
// shared with all children forked later. Not covered: SIGINT, which still ends a run at once.
// Checked by: stop_request_test.cpp.
#pragma once

#include <string_view>

namespace tilecast {

/// From now on both signals only set the flag, here and in children forked later. Throws
/// std::system_error.
void heed_stop_requests();

/// Returns "SIGTERM" or "SIGUSR1", the last signal received by any process that shares the flag;
/// empty if there was none.
std::string_view stop_requested();

}  // namespace tilecast
