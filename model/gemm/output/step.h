// A step of an epilogue: one file of this folder is all that it is to the kernels, their reference
// and the model. Each has the members of NoStep, and its kind's apply(), which kernels call with
// the math of the device (kernels/device/fast_math.cuh) and references with that of fp64
// (exact_math.h). Integers, constants and functions alone; compiled by the host compiler, nvcc and
// NVRTC.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

/// In the order in which they are taken. An epilogue has up to one step of each.
enum class OutputKind : i32 {
  kScale,     // of fp8 operands: apply(sum, number of A, number of B)
  kBias,      // adds a vector: apply(sum, element)
  kActivate,  // of one column: apply(x); a gate of two: apply(x, next), of which one is left
  kLoad,      // of a matrix like C: apply(x, element)
  kAmax,      // finds the largest magnitude: magnitude(bits)
  kConvert,   // before C is rounded: apply(x, number)
};
constexpr i32 kOutputKinds = 6;

/// Instructions for one element of A B, counted in SASS (model/gemm/costs/fused_epilogue.h).
struct ElementWork {
  double issued = 0, special = 0;  // all; those of the special function unit among them
};

/// What type the elements have that a step reads.
enum class ReadType : i32 { kBias, kC, kFp32 };  // kBias: half_type() of C's

/// What a step reads: elements for each row and column of A B, for each element of C, and in all.
struct StepReads {
  i32 row = 0, column = 0, element = 0, whole = 0;
  ReadType type = ReadType::kFp32;
};

/// No step of a kind, and what a step is unless it says otherwise.
struct NoStep {
  static constexpr const char* kWord = "none";     // in texts: a join key, which never changes
  static constexpr const char* kMeaning = "none";  // in lists
  static constexpr ElementWork kWork{};
  static constexpr StepReads kReads{};
  static constexpr i32 kColumns = 1;            // of A B that become one of C
  static constexpr bool kApproximate = false;   // in fp32 off by 2^-12 |x| + 2^-15 at most
  static constexpr bool kByConversion = false;  // rounding to 16 bits does it at no cost
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
/// Of a matrix of C's type and shape, which may be C itself.
struct LoadStep : NoStep {
  static constexpr OutputKind kKind = OutputKind::kLoad;
  static constexpr StepReads kReads{.element = 1, .type = ReadType::kC};
  // By threads: half of a load and of what finds it and asks whether it is within bounds, a
  // conversion and the operation; from a stage of the ring one ldmatrix and its address for eight.
  static constexpr ElementWork kWork{.issued = 4}, kWorkInRing{.issued = 2.25};
};

}  // namespace tilecast
