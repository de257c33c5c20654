// Operand data of the wgmma micro-benchmarks: it determines the power, not the cycles.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

enum class OperandData : u32 {
  kZeros,
  kRandomBits,  // fp16 numbers of both signs below 1, every bit of the mantissa random
  kNormal,      // normal(0, 1)
  kUniform,     // uniform [0, 1)
  kTernary,     // -1, 0, 1
};

}  // namespace tilecast
