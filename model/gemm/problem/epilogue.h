// The epilogue of a GEMM, applied to the accumulators before they are rounded to C: a list of steps
// (model/gemm/output/steps.h), at most one of each kind, in order of kinds, in fp32. Integers and
// enums only; compiled by the host compiler, nvcc and NVRTC.
//
// Written as "none", or as the steps' words joined by "+": "bias_n", "gelu", "bias_n+gelu",
// "scale_row+bias_n+gelu", "bias_n+residual". Checked by: epilogue_test.cpp.
#pragma once

#ifndef __CUDACC_RTC__  // NVRTC has no standard library
#include <string>
#include <string_view>
#include <vector>
#endif

#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/gemm/output/steps.h"

namespace tilecast {

class Epilogue {
 public:
  constexpr Epilogue() = default;
  /// Accepts steps of different kinds, in any order; ignores "none" steps.
  template <class... Steps>
  TILECAST_HD constexpr Epilogue(OutputStep first, Steps... others) {
    add(first);
    (add(others), ...);
  }

  /// Returns the step of a kind, if the epilogue has one.
  TILECAST_HD constexpr OutputStep of(OutputKind kind) const {
    return steps_[static_cast<i32>(kind)];
  }
  TILECAST_HD constexpr bool has(OutputKind kind) const { return of(kind) != OutputStep{}; }
  /// Sets the step of its kind.
  TILECAST_HD constexpr void add(OutputStep step) {
    if (step != OutputStep{}) {
      steps_[static_cast<i32>(OutputSteps::kind_of(step))] = step;
    }
  }
  TILECAST_HD constexpr void remove(OutputKind kind) { steps_[static_cast<i32>(kind)] = {}; }

  /// Calls `take` with the row of each step, in order.
  template <class Take>
  TILECAST_HD constexpr void each(Take take) const {
    for (const OutputStep step : steps_) {
      if (step != OutputStep{}) {
        take(row_of(step));
      }
    }
  }

  /// Calls `take` with an object of the step's type, if there is a step of this kind.
  template <OutputKind kKind, class Take>
  TILECAST_HD constexpr void visit(Take take) const {
    OutputSteps::visit<kKind>(of(kKind), take);
  }

  /// Returns a unique number for each epilogue; of_number is the inverse.
  TILECAST_HD constexpr i32 number() const {
    i32 number = 0;
    for (i32 kind = kOutputKinds - 1; kind >= 0; --kind) {
      number = number * kNumbers + steps_[kind].number;
    }
    return number;
  }
  TILECAST_HD static constexpr Epilogue of_number(i32 number) {
    Epilogue epilogue;
    for (OutputStep& step : epilogue.steps_) {
      step = {number % kNumbers};
      number /= kNumbers;
    }
    return epilogue;
  }

  constexpr bool operator==(const Epilogue&) const = default;

 private:
  static constexpr i32 kNumbers = 32;
  static_assert(OutputSteps::kCount < kNumbers, "number() holds six steps in 30 bits");

  OutputStep steps_[kOutputKinds];
};

/// Whether C has half as many columns as A B.
TILECAST_HD constexpr bool gates(const Epilogue& epilogue) {
  return OutputSteps::columns_of(epilogue.of(OutputKind::kActivate)) == 2;
}

TILECAST_HD constexpr bool fuses(const Epilogue& epilogue) { return epilogue != Epilogue{}; }

/// Returns the steps that run inside the main loop.
TILECAST_HD constexpr Epilogue in_main_loop(const Epilogue& epilogue) {
  Epilogue part = epilogue;
  epilogue.each([&](const StepRow& row) {
    if (!row.in_main_loop) {
      part.remove(row.kind);
    }
  });
  return part;
}
TILECAST_HD constexpr bool has_block_scales(const Epilogue& epilogue) {
  return epilogue.of(OutputKind::kScale) == step<ScaleBlock>();
}

/// Number of elements of the bias for an M x N result.
TILECAST_HD constexpr i64 bias_elements(const Epilogue& epilogue, i64 m, i64 n) {
  const StepReads reads = row_of(epilogue.of(OutputKind::kBias)).reads;
  return reads.row * m + reads.column * n;
}

#ifndef __CUDACC_RTC__
std::string to_text(const Epilogue& epilogue);
/// Inverse of to_text. Throws a ConfigError that lists the known words.
Epilogue parse_epilogue(std::string_view text);

/// Returns every step, in canonical order.
const std::vector<StepRow>& output_steps();
/// Returns the steps of a kind; activations in the order of the library's enumeration.
std::vector<OutputStep> steps_of(OutputKind kind);
/// Returns the words of a kind, joined: "bias_m, bias_n".
std::string words_of(OutputKind kind);
#endif

}  // namespace tilecast
