// Code that runs in a caller's process does not change the process: it neither sets the umask,
// locale, environment or working directory, nor reads them where the caller's threads may set them.
// Numbers are converted by std::from_chars and fmt, which do not depend on the locale.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

/// Whether the rule applies to this source: it does in all layers, except tests and device code.
bool leaves_process_alone(std::string_view path);

/// Uses of functions that read or change the process's state, one line each: `path:line: name:
/// why`. Known exceptions are left out.
std::vector<std::string> process_state_violations(std::string_view path, std::string_view content);

/// The exceptions listed for `path` that `content` does not use.
std::vector<std::string> stale_exceptions(std::string_view path, std::string_view content);

}  // namespace tilecast
