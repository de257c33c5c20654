// Code that runs in a caller's process must not change the process: it neither sets the umask,
// locale, environment or working directory, nor reads them where other threads may set them.
// Numbers are converted by std::from_chars and fmt, which are independent of the locale.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

/// Whether the rule applies to this source: to all layers, except tests and device code.
bool leaves_process_alone(std::string_view path);

/// Uses of functions that read or change process state, one line each: `path:line: name: why`.
/// Known exceptions are omitted.
std::vector<std::string> process_state_violations(std::string_view path, std::string_view content);

/// The exceptions listed for `path` that `content` does not use.
std::vector<std::string> stale_exceptions(std::string_view path, std::string_view content);

}  // namespace tilecast
