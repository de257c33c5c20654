// Which operands of a GEMM are copied before the kernel runs.
#pragma once

#include "model/base/host_device.h"

namespace tilecast {

/// Which operands are copied before they are a kernel of two operands runs.
struct CopiedOperands {
  bool a, b;

  TILECAST_HD constexpr bool any() const { return a || b; }
  constexpr bool operator==(const CopiedOperands&) const = default;
};

}  // namespace tilecast
