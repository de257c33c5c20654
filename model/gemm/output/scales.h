// What fp8 operands stand for: their elements times fp32 numbers, which lie on the device.
#pragma once

#include "model/gemm/output/step.h"

namespace tilecast {

/// Rows, columns and K of a block that has a scale.
TILECAST_HD consteval i32 scale_block() { return 128; }

struct ScaleTensor : ScaleStep {
  static constexpr const char* kWord = "scale_tensor";
  static constexpr const char* kMeaning = "multiplies fp8 sums by a number of A and one of B";
  static constexpr ElementWork kWork{.issued = 1};
  static constexpr StepReads kReads{.whole = 2};
};

struct ScaleRow : ScaleStep {
  static constexpr const char* kWord = "scale_row";
  static constexpr const char* kMeaning =
      "multiplies fp8 sums by a number of A's row and one of B's column";
  // Two multiplications, and a shuffle for each pair of rows.
  static constexpr ElementWork kWork{.issued = 2.5};
  static constexpr StepReads kReads{.row = 1, .column = 1};
};

/// One for each 128 elements of a row of A, one for each 128 columns x 128 K of B: sums of 128
/// elements of K are scaled and added up in fp32.
struct ScaleBlock : ScaleStep {
  static constexpr const char* kWord = "scale_block";
  static constexpr const char* kMeaning =
      "fp8 sums of 128 K, times a number of A's row and one of 128 columns of B";
  static constexpr bool kInMainLoop = true;  // where its work and reads are counted
};

}  // namespace tilecast
