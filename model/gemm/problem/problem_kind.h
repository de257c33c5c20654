// Defines the compile-time part of a problem and its launch: everything except the sizes. Integers
// and enums only; compiled by the host compiler, nvcc and NVRTC.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// Scaling of the sums, which is applied after the operands' scales and before the bias.
enum class SumScale : i32 {
  kNone,       // A B
  kAlphaBeta,  // alpha A B + beta C; C is not read if beta is 0
};

/// When a kernel starts relative to its neighbours in the stream.
enum class LaunchOrder : i32 {
  kInTurn,          // starts after the previous kernel
  kProgrammatic,    // programmatic dependent launch: CTAs start early and wait for the previous
                    // kernel before they need its results
  kBesideEpilogue,  // programmatic, and triggers the next kernel's launch before its own epilogue
};

struct ProblemKind {
  GemmTypes types;
  Layout layout;
  Epilogue epilogue = {};
  bool batched = false;
  bool grouped = false;  // grouped along M
  bool parts_k = false;  // grouped along K
  LaunchOrder launch = LaunchOrder::kInTurn;

#ifndef __CUDACC_RTC__
  static ProblemKind of(const GemmProblem& problem);
#endif
};

}  // namespace tilecast
