// A fault destroyed the measuring process's CUDA context: it cannot measure further points.
#pragma once

#include <string>

#include "model/base/error.h"

namespace tilecast {

struct ContextLost : Error {
  explicit ContextLost(const std::string& message) : Error(ExitCode::kWrong, message) {}
};

}  // namespace tilecast
