// Who owns the device memory that the CTAs of a launch share besides the operands: locks, counters
// and partial results.
#pragma once

namespace tilecast {

enum class WorkspaceOwner {
  kLaunch,  // the launch object; its launches must be ordered
  kCaller,  // the caller, who sets the workspace in the result of bind()
};

}  // namespace tilecast
