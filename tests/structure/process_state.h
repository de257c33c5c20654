// Code that a caller's process runs leaves the process as it is: no umask, locale, environment or
// working directory is changed, or read where the caller's threads may change it, and numbers are
// converted by std::from_chars and fmt, which ask no locale.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

/// Whether the rule is for this source: of the layers, neither a test nor device code.
bool leaves_process_alone(std::string_view path);

/// Uses of what reads or changes the process's state, one line each: `path:line: name: why`. Known
/// exceptions are left out.
std::vector<std::string> process_state_violations(std::string_view path, std::string_view content);

/// The known exceptions that `path` is listed for and `content` does not have.
std::vector<std::string> stale_exceptions(std::string_view path, std::string_view content);

}  // namespace tilecast
