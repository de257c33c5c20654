// A list of step types, numbered by position. For NVRTC, without the standard library.
#pragma once

#include "model/gemm/output/step.h"

namespace tilecast {

/// A step, by its position in OutputSteps (steps.h), counted from 1; 0 means no step.
struct OutputStep {
  i32 number = 0;

  constexpr bool operator==(const OutputStep&) const = default;
};

/// Constants of a step, named as in NoStep.
struct StepRow {
  const char *word = NoStep::kWord, *meaning = NoStep::kMeaning;
  OutputKind kind = {};
  ElementWork work,
      work_in_ring;  // work_in_ring: if the matrix comes through the pipeline stages
  StepReads reads;
  bool approximate = false, in_main_loop = false;
};

template <class Step>
TILECAST_HD constexpr StepRow step_row() {
  StepRow row{Step::kWord, Step::kMeaning, Step::kKind,        Step::kWork,
              Step::kWork, Step::kReads,   Step::kApproximate, Step::kInMainLoop};
  if constexpr (Step::kKind == OutputKind::kLoad) {
    row.work_in_ring = Step::kWorkInRing;
  }
  return row;
}

template <class Left, class Right>
constexpr bool kSameStep = false;
template <class Step>
constexpr bool kSameStep<Step, Step> = true;

template <class... Steps>
struct StepList {
  static constexpr i32 kCount = sizeof...(Steps);

  template <class Step>
  TILECAST_HD static consteval i32 number_of() {
    i32 number = 0, found = 0;
    ((++number, found = kSameStep<Step, Steps> ? number : found), ...);
    return found;
  }

  /// `step` must not be none.
  TILECAST_HD static constexpr OutputKind kind_of(OutputStep step) {
    OutputKind kind{};
    i32 number = 0;
    ((++number == step.number ? static_cast<void>(kind = Steps::kKind) : void()), ...);
    return kind;
  }

  /// Columns of A B per column of C.
  TILECAST_HD static constexpr i32 columns_of(OutputStep step) {
    i32 columns = 1, number = 0;
    ((++number == step.number ? static_cast<void>(columns = Steps::kColumns) : void()), ...);
    return columns;
  }

  template <i32 kNumber, class... Left>
  struct Nth;
  template <class... Left>
  struct Nth<0, Left...> {
    using Type = NoStep;
  };
  template <class First, class... Left>
  struct Nth<1, First, Left...> {
    using Type = First;
  };
  template <i32 kNumber, class First, class... Left>
    requires(kNumber > 1)
  struct Nth<kNumber, First, Left...> : Nth<kNumber - 1, Left...> {};
  template <i32 kNumber>
  using At = Nth<kNumber, Steps...>;

  TILECAST_HD static constexpr const StepRow& row(OutputStep step) { return kRows[step.number]; }

  /// Calls `visit` with an object of the step's type, if the step has this kind.
  template <OutputKind kKind, class Visit>
  TILECAST_HD static constexpr void visit(OutputStep step, Visit visit) {
    i32 number = 0;
    (visit_if<kKind, Steps>(++number == step.number, visit), ...);
  }

 private:
  template <OutputKind kKind, class Step, class Visit>
  TILECAST_HD static constexpr void visit_if(bool asked, Visit& visit) {
    if constexpr (Step::kKind == kKind) {
      if (asked) {
        visit(Step{});
      }
    }
  }

  static constexpr StepRow kRows[] = {{}, step_row<Steps>()...};
};

}  // namespace tilecast
