// What of a problem, and of how it is launched, is compiled into a kernel: all but its sizes.
// Integers and enums only; compiled by the host compiler, nvcc and NVRTC.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// What the sums are scaled by, after the operands' scales and before the bias.
enum class SumScale : i32 {
  kNone,       // A B
  kAlphaBeta,  // alpha A B + beta C; C is not read where beta is 0
};

/// When a kernel begins, of which it knows something itself.
enum class LaunchOrder : i32 {
  kInTurn,          // after the kernel before it in the stream
  kProgrammatic,    // as that one ends: its CTAs wait for the end where they need it
  kBesideEpilogue,  // likewise, and lets a next one begin before its own epilogue
};

struct ProblemKind {
  GemmTypes types;
  Layout layout;
  Epilogue epilogue = {};
  bool batched = false;
  bool grouped = false;  // along M
  bool parts_k = false;  // grouped along K
  LaunchOrder launch = LaunchOrder::kInTurn;

#ifndef __CUDACC_RTC__
  static ProblemKind of(const GemmProblem& problem);
#endif
};

}  // namespace tilecast
