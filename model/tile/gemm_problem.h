// The problem a GEMM kernel solves: C[m,n] = epilogue(A[m,k] * B), fp32 accumulation, tight leading
// dims.
// Integers and enums only; compiled by the host compiler, nvcc and NVRTC.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/tile/epilogue.h"

namespace tilecast {

enum class ElementType : i32 { kFp16, kBf16, kFp32 };

/// A is always row-major [m,k]. kTn: B is [n,k] (K-major). kNn: B is [k,n] (N-major).
enum class Layout : i32 { kTn, kNn };

TILECAST_HD constexpr i32 element_bytes(ElementType type) {
  return type == ElementType::kFp32 ? 4 : 2;
}

struct GemmShape {
  i64 m, n, k;

  constexpr bool operator==(const GemmShape&) const = default;
};

struct GemmProblem {
  GemmShape shape;
  ElementType dtype;  // of A, B and C
  Layout layout;
  Epilogue epilogue = {};

  constexpr bool operator==(const GemmProblem&) const = default;
};

/// Multiply-adds counted as two, as everyone quotes TFLOPS.
TILECAST_HD constexpr double gemm_flops(const GemmShape& shape) {
  return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
         static_cast<double>(shape.k);
}

/// Bytes of the epilogue's bias, which has C's type.
TILECAST_HD constexpr i64 bias_bytes(const GemmProblem& problem) {
  return bias_elements(problem.epilogue.bias, problem.shape.m, problem.shape.n) *
         element_bytes(problem.dtype);
}

/// Fewest bytes that solve the problem: A, B and the bias read once, C written once.
TILECAST_HD constexpr double gemm_bytes(const GemmProblem& problem) {
  const double m = static_cast<double>(problem.shape.m);
  const double n = static_cast<double>(problem.shape.n);
  const double k = static_cast<double>(problem.shape.k);
  return (m * k + k * n + m * n) * element_bytes(problem.dtype) +
         static_cast<double>(bias_bytes(problem));
}

/// The bulk copy engine stores C only where its rows are 16-byte multiples; else plain stores.
TILECAST_HD constexpr bool c_rows_allow_tma(const GemmProblem& problem) {
  return problem.shape.n * element_bytes(problem.dtype) % 16 == 0;
}

}  // namespace tilecast
