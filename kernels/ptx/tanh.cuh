// Hyperbolic tangent on the special function unit.
#pragma once

namespace tilecast::ptx {

/// Computes tanh in one instruction; relative error at most 2^-11 (PTX ISA, tanh.approx.f32).
/// Propagates NaN.
__device__ __forceinline__ float tanh_approx(float x) {
  float result;
  asm("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

}  // namespace tilecast::ptx
