// A fault that ended the measuring process's CUDA context: no later point can be measured by it.
#pragma once

#include <string>

#include "model/base/error.h"

namespace tilecast {

struct ContextLost : Error {
  explicit ContextLost(const std::string& message) : Error(ExitCode::kWrong, message) {}
};

}  // namespace tilecast
