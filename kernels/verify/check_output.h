// What the checking kernels (check_output.cu, check_guard.cu, sum_squares.cu, reference_gemm.cu)
// count.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

/// All ones: a NaN in fp16, bf16 and fp32, so that what a kernel leaves unwritten never passes.
constexpr unsigned char kPoisonByte = 0xff;
constexpr unsigned short kPoisonBits = 0xffff;

struct OutputCheck {
  double error_squares;      // sum of (output - reference)^2; NaN where any output is
  double reference_squares;  // sum of reference^2
  u32 largest_error;         // bits of max |output - reference|, NaN ignored; orders like the float
  u32 largest_reference;     // bits of max |reference|
  u64 wrong_elements;        // beyond the bound of one element, NaN included
  u64 unwritten_elements;    // still poison
  u64 first_wrong;           // least index of a wrong element
  u64 guard_changed;  // words of the guard bands, elements between rows, that are no longer poison
};

struct ReferenceCheck {
  u64 checked, wrong;
  u64 first_wrong;  // least index of a wrong element
};

}  // namespace tilecast
