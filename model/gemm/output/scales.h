// Scales of fp8 operands: fp32 factors in device memory.
#pragma once

#include "model/gemm/output/step.h"

namespace tilecast {

/// Rows, columns and K elements per scale block.
TILECAST_HD consteval i32 scale_block() { return 128; }

struct ScaleTensor : ScaleStep {
  static constexpr const char* kWord = "scale_tensor";
  static constexpr const char* kMeaning = "multiplies fp8 results by one scale for A and one for B";
  static constexpr ElementWork kWork{.issued = 1};
  static constexpr StepReads kReads{.whole = 2};
};

struct ScaleRow : ScaleStep {
  static constexpr const char* kWord = "scale_row";
  static constexpr const char* kMeaning =
      "multiplies fp8 results by one scale per row of A and one per column of B";
  // Counts two multiplications, and a shuffle per pair of rows.
  static constexpr ElementWork kWork{.issued = 2.5};
  static constexpr StepReads kReads{.row = 1, .column = 1};
};

/// One scale per 128 elements of a row of A, one per 128 columns x 128 K of B: partial sums over
/// 128 elements of K are scaled and added up in fp32.
struct ScaleBlock : ScaleStep {
  static constexpr const char* kWord = "scale_block";
  static constexpr const char* kMeaning =
      "multiplies fp8 partial sums over 128 K by one scale per row of A and one per 128 columns of "
      "B";
  static constexpr bool kInMainLoop = true;  // its work and its reads are in the main loop
};

}  // namespace tilecast
