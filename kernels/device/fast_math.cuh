// The arithmetic of kernels in output steps (model/gemm/output): fp32, and the tanh of the special
// function unit. Of an activation that is kApproximate |result - exact| <= 2^-12 |x| + 2^-15: half
// of x times the error of tanh.approx, and what a polynomial leaves of erf. Of large negative x
// that is more than the result itself; C's own rounding of the same |x| is as much. NaN and
// infinities go through as with ExactMath. Checked by: validate/measure/gemm/epilogue_test.cpp
// (every 16-bit value).
#pragma once

#include "kernels/ptx/tanh.cuh"

namespace tilecast {

struct FastMath {
  using Real = float;
  static constexpr bool kExact = false;
  __device__ static Real tanh(Real x) { return ptx::tanh_approx(x); }
  __device__ static Real multiply_add(Real a, Real b, Real c) { return fmaf(a, b, c); }
  __device__ static Real least(Real a, Real b) { return fminf(a, b); }
};

}  // namespace tilecast
