// A vector of C's type, or of bf16 where that has no 16 bits, that is added to each row or column.
#pragma once

#include "model/gemm/output/step.h"

namespace tilecast {

struct BiasM : BiasStep {
  static constexpr const char* kWord = "bias_m";
  static constexpr const char* kMeaning = "adds to each row of C its element of a vector of M";
  static constexpr ElementWork kWork{.issued = 1};
  static constexpr StepReads kReads{.row = 1, .type = ReadType::kBias};
};

struct BiasN : BiasStep {
  static constexpr const char* kWord = "bias_n";
  static constexpr const char* kMeaning = "adds to each column of C its element of a vector of N";
  // Also a conversion for two rows, and a shuffle for two pairs.
  static constexpr ElementWork kWork{.issued = 1.75};
  static constexpr StepReads kReads{.column = 1, .type = ReadType::kBias};
};

}  // namespace tilecast
