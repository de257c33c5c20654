// Adds a vector to each row or column. Its type is C's, or bf16 if C is not a 16-bit type.
#pragma once

#include "model/gemm/output/step.h"

namespace tilecast {

struct BiasM : BiasStep {
  static constexpr const char* kWord = "bias_m";
  static constexpr const char* kMeaning = "adds element m of a vector to row m of C";
  static constexpr ElementWork kWork{.issued = 1};
  static constexpr StepReads kReads{.row = 1, .type = ReadType::kBias};
};

struct BiasN : BiasStep {
  static constexpr const char* kWord = "bias_n";
  static constexpr const char* kMeaning = "adds element n of a vector to column n of C";
  // Counts the addition, a conversion per two rows, and a shuffle per two pairs.
  static constexpr ElementWork kWork{.issued = 1.75};
  static constexpr StepReads kReads{.column = 1, .type = ReadType::kBias};
};

}  // namespace tilecast
