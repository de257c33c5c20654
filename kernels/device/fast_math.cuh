// Arithmetic of output steps (model/gemm/output) in kernels: fp32, with the tanh of the special
// function unit. For an activation with kApproximate, |result - exact| <= 2^-12 |x| + 2^-15: half
// of x times the error of tanh.approx, plus the error of the polynomial for erf. For large negative
// x this exceeds the result itself, but so does the rounding of C at the same |x|. NaN and
// infinities propagate as with ExactMath. Checked by: validate/measure/gemm/epilogue_test.cpp
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
