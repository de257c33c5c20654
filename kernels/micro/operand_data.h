// Operand data of the wgmma micro-benchmarks. It determines the power, but not the cycles.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

enum class OperandData : u32 {
  kZeros,
  kRandomBits,  // fp16 values of both signs below 1 with random mantissa bits
  kNormal,      // normal(0, 1)
  kUniform,     // uniform [0, 1)
  kTernary,     // -1, 0, 1
};

}  // namespace tilecast
