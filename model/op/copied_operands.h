// Operands that are copied before a kernel.
#pragma once

#include "model/base/host_device.h"

namespace tilecast {

/// Which operands of a GEMM are copied before its kernel runs.
struct CopiedOperands {
  bool a, b;

  TILECAST_HD constexpr bool any() const { return a || b; }
  constexpr bool operator==(const CopiedOperands&) const = default;
};

}  // namespace tilecast
