// The buffer sets that a problem's launches rotate over: A, B and, if the epilogue has one, the
// bias, filled with random data, and a separate C each.
#pragma once

#include "kernels/jit/gemm_launch.h"
#include "model/base/regime.h"
#include "model/base/units.h"
#include "model/gemm/problem/gemm_problem.h"
#include "validate/measure/device_memory.h"
#include "validate/measure/timing/buffer_sets.h"
#include "validate/measure/timing/micro_kernels.h"

namespace tilecast {

struct SetLayout {
  // Sizes rounded up to the alignment of a set.
  std::size_t a_bytes, b_bytes, c_bytes, bias_bytes, residual_bytes;
  BufferSets sets;

  std::size_t set_bytes() const {
    return a_bytes + b_bytes + c_bytes + bias_bytes + residual_bytes;
  }
};

SetLayout set_layout(const GemmProblem& problem, Bytes l2);

/// Group sizes or offsets on the device, in the form that kernels read. Empty without groups.
class RowsOfGroups {
 public:
  /// Invalidates the previous problem's data.
  void prepare(const GemmProblem& problem);
  const i32* get() const { return groups_ ? rows_.as<const i32>() : nullptr; }

 private:
  bool groups_ = false;
  DeviceMemory rows_;
};

/// Scales on the device, drawn from 1 to 2: scales of the operands, with B's block scales in rows
/// padded to multiples of four, as cuBLASLt reads them; a scale of C with which fp8 can represent
/// C; and space for amax. Empty without scales.
class OperandScales {
 public:
  /// Invalidates the previous problem's data.
  void prepare(const GemmProblem& problem, u64 seed);
  ScaleArgs get() const { return args_; }
  const float* scale_c() const { return scale_c_; }
  float* amax() const { return amax_; }

 private:
  ScaleArgs args_{};
  float *scale_c_ = nullptr, *amax_ = nullptr;
  DeviceMemory memory_;
};

class Operands {
 public:
  Operands(const MicroKernels& kernels, const Stream& stream, Bytes l2);

  /// Refills every set from `seed`. Asynchronous.
  void prepare(const GemmProblem& problem, Inputs inputs, u64 seed);

  const BufferSets& sets() const { return layout_.sets; }
  GemmBuffers set(std::size_t index) const;

 private:
  const MicroKernels& kernels_;
  const Stream& stream_;
  Bytes l2_;
  SetLayout layout_{};
  DeviceMemory memory_;
  RowsOfGroups rows_of_groups_;
  OperandScales scales_;  // scales shared by all sets
};

}  // namespace tilecast
