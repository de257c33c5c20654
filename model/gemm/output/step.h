// Epilogue steps. Each file of this folder defines one, for the kernels, their reference and the
// model. Each step has the members of NoStep, and its kind's apply(), which kernels call with
// device math (kernels/device/fast_math.cuh) and references with fp64 (exact_math.h). Only
// integers, constants and functions; compiled by the host compiler, nvcc and NVRTC.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

/// Kinds in the order of execution. An epilogue has at most one step of each kind.
enum class OutputKind : i32 {
  kScale,     // fp8 operand scales: apply(sum, scale of A, scale of B)
  kBias,      // adds a vector: apply(sum, element)
  kActivate,  // apply(x); a gate: apply(x, next column), which halves the columns
  kLoad,      // adds a matrix like C: apply(x, element)
  kAmax,      // maximum magnitude: magnitude(bits)
  kConvert,   // last operation before C is rounded: apply(x, number)
};
constexpr i32 kOutputKinds = 6;

/// Instructions per element of A B, counted in SASS (model/gemm/costs/fused_epilogue.h).
struct ElementWork {
  // all instructions, and how many of them use the special function unit
  double issued = 0, special = 0;
};

/// Element type of a step's input.
enum class ReadType : i32 { kBias, kC, kFp32 };  // kBias: half_type() of C's type

/// Number of elements that a step reads: per row and column of A B, per element of C, and in total.
struct StepReads {
  i32 row = 0, column = 0, element = 0, whole = 0;
  ReadType type = ReadType::kFp32;
};

/// Defaults of a step, and the step of a kind that an epilogue lacks.
struct NoStep {
  static constexpr const char* kWord = "none";     // word in strings; a join key that never changes
  static constexpr const char* kMeaning = "none";  // description in lists
  static constexpr ElementWork kWork{};
  static constexpr StepReads kReads{};
  static constexpr i32 kColumns = 1;            // columns of A B per column of C
  static constexpr bool kApproximate = false;   // fp32 error is at most 2^-12 |x| + 2^-15
  static constexpr bool kByConversion = false;  // part of the rounding to 16 bits, at no cost
  static constexpr bool kInMainLoop = false;

  template <class Math>
  TILECAST_HD static constexpr typename Math::Real apply(typename Math::Real x) {
    return x;
  }
};

struct ScaleStep : NoStep {
  static constexpr OutputKind kKind = OutputKind::kScale;
  template <class Math>
  TILECAST_HD static constexpr typename Math::Real apply(typename Math::Real sum,
                                                         typename Math::Real of_a,
                                                         typename Math::Real of_b) {
    return sum * (of_a * of_b);
  }
};
struct BiasStep : NoStep {
  static constexpr OutputKind kKind = OutputKind::kBias;
  template <class Math>
  TILECAST_HD static constexpr typename Math::Real apply(typename Math::Real sum,
                                                         typename Math::Real element) {
    return sum + element;
  }
};
struct Activation : NoStep {
  static constexpr OutputKind kKind = OutputKind::kActivate;
};
struct Gate : Activation {
  static constexpr i32 kColumns = 2;
};
/// Loads a matrix of C's type and shape, which may be C itself.
struct LoadStep : NoStep {
  static constexpr OutputKind kKind = OutputKind::kLoad;
  static constexpr StepReads kReads{.element = 1, .type = ReadType::kC};
  // Instructions per element. Loaded by threads: half of a load, its address and its bounds check,
  // a conversion and the operation. From a pipeline stage: one ldmatrix and its address per eight
  // elements.
  static constexpr ElementWork kWork{.issued = 4}, kWorkInRing{.issued = 2.25};
};

}  // namespace tilecast
