// The activations of an epilogue, in fp32: one tanh of the special function unit each, and no more
// multiply-adds around it than keep its accuracy.
//
// |result - exact| <= 2^-12 |x| + 2^-15: half of x times the error of tanh.approx, and what a
// polynomial leaves of erf. Of large negative x that is more than the result itself; C's own
// rounding of the same |x| is as much. NaN and infinities go through as in
// model/gemm/problem/activation_reference.h.
// Checked by: validate/measure/epilogue_test.cpp (every 16-bit value).
#pragma once

#include "kernels/gemm/gemm_config.h"
#include "kernels/ptx/tanh.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

/// kRelu is left to the conversion, which does it at no cost.
template <Activation kActivation>
__device__ inline float activate(float x) {
  const float half = 0.5f * x;
  const float square = x * x;
  if constexpr (kActivation == Activation::kSilu) {  // x / (1 + exp(-x)) = x (1 + tanh(x / 2)) / 2
    return fmaf(half, ptx::tanh_approx(half), half);
  } else if constexpr (kActivation == Activation::kGeluTanh) {
    // sqrt(2 / pi) and 0.044715 of it.
    const float slope = fmaf(0.0356774081f, square, 0.7978845608f);
    return fmaf(half, ptx::tanh_approx(x * slope), half);
  } else if constexpr (kActivation == Activation::kGelu) {
    // erf(x / sqrt(2)) = tanh(x p(x^2)), p fitted so that half of x times the error is at most
    // 2.6e-5; from |x| = 5 on both are 1 and p stays as it is there.
    const float inside = fminf(square, 25.0f);
    const float slope = fmaf(fmaf(-3.515168e-4f, inside, 3.7005646e-2f), inside, 0.79750788f);
    return fmaf(half, ptx::tanh_approx(x * slope), half);
  } else {
    return x;
  }
}

/// Two sums to C's type.
template <class Config>
__device__ inline u32 pack_activated(float low, float high) {
  constexpr Activation kActivation = Config::kEpilogue.activation;
  constexpr bool kRelu = kActivation == Activation::kRelu;
  return ptx::pack_16bit<half_type(Config::kCType), kRelu>(activate<kActivation>(low),
                                                           activate<kActivation>(high));
}

}  // namespace tilecast
