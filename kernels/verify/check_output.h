// Counters of the checking kernels (check_output.cu, check_guard.cu, sum_squares.cu,
// reference_gemm.cu).
#pragma once

#include "model/base/integers.h"

namespace tilecast {

/// Poison: all bits are ones, a NaN in fp16, bf16 and fp32, so that unwritten elements never pass.
constexpr unsigned char kPoisonByte = 0xff;
constexpr unsigned short kPoisonBits = 0xffff;

struct OutputCheck {
  // Sums and maxima are over elements of a finite reference.
  double error_squares;      // sum of (output - reference)^2; NaN if any output is
  double reference_squares;  // sum of reference^2
  u32 largest_error;         // elements outside the tolerance, including NaN
  u32 largest_reference;     // bits of max |reference|
  u64 wrong_elements;        // elements outside the tolerance, including NaN
  u64 unwritten_elements;    // elements that are still poisoned
  u64 first_wrong;           // lowest index of a wrong element
  u64 guard_changed;  // words of guard bands and elements between rows that are no longer poisoned
};

struct ReferenceCheck {
  u64 checked, wrong;
  u64 first_wrong;  // lowest index of a wrong element
};

}  // namespace tilecast
