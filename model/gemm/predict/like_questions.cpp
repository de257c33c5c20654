#include "model/gemm/predict/like_questions.h"

#include "model/gemm/problem/swapped_operands.h"
#include "model/rank/retime.h"

namespace tilecast {

std::optional<GemmProblem> with_whole_tile(const GemmProblem& problem, const KernelConfig& config) {
  const i64 whole = i64{config.tiling.block_n} * config.tiling.cluster_n;
  if (as_run(problem, config).shape.n >= whole || !c_rows_allow_tma(problem) ||
      !(problem.leading == LeadingDimensions{})) {
    return std::nullopt;
  }
  GemmProblem wider = problem;
  (config.operands == OperandOrder::kSwapped ? wider.shape.m : wider.shape.n) = whole;
  return wider;
}

void correct(Seconds time, Prediction& p) {
  const double factor = time / p.time;
  if (factor != 1) {
    stretch(factor, p);
    p.cycles_correction *= factor;
  }
}

}  // namespace tilecast
