// The activations in fp64, which kernels are checked against (kernels/verify/apply_epilogue.cu).
// Checked by: activation_reference_test.cpp.
#pragma once

#ifndef __CUDACC_RTC__  // NVRTC knows these functions
#include <math.h>
#endif

#include "model/base/host_device.h"
#include "model/gemm/problem/epilogue.h"

namespace tilecast {

/// NaN gives NaN and infinity infinity. -infinity gives NaN but for kNone and kRelu: it is a
/// factor, beside 0.
TILECAST_HD inline double activated(Activation activation, double x) {
  switch (activation) {
    case Activation::kNone:
    case Activation::kSwiglu:  // of two numbers: gate_of
    case Activation::kGeglu:
      break;
    case Activation::kRelu:
      return x < 0 ? 0 : x;
    case Activation::kGelu:
      return 0.5 * x * (1 + erf(x * 0.70710678118654752));
    case Activation::kGeluTanh:
      return 0.5 * x * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
    case Activation::kSilu:
      return x / (1 + exp(-x));
  }
  return x;
}

}  // namespace tilecast
