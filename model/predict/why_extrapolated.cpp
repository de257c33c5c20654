#include "model/predict/why_extrapolated.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/predict/kernel_features.h"
#include "model/gemm/problem/fp8_pairs.h"
#include "model/gemm/problem/group_rows.h"
#include "model/learn/learned.h"
#include "model/ops/any_op.h"
#include "model/spec/learned_model.h"

namespace tilecast {
namespace {

/// "K is 65536 (measured: 64 to 32768)"; empty where it is among them. `unit`: elements
/// of what is compared.
std::string beyond(const char* name, i64 GemmShape::*side, const GemmProblem& problem,
                   const std::vector<GemmProblem>& measured, i64 unit = 1) {
  const auto [least, most] =
      std::ranges::minmax(measured, {}, [side](const GemmProblem& row) { return row.shape.*side; });
  const i64 low = least.shape.*side, high = most.shape.*side, own = problem.shape.*side;
  return own >= low && own <= high ? std::string()
                                   : fmt::format("{} is {} (measured: {} to {})", name, own * unit,
                                                 low * unit, high * unit);
}

}  // namespace

std::string why_extrapolated(const GpuSpec& gpu, const GemmProblem& asked) {
  std::vector<std::string> reasons;
  if (never_learned(asked)) {
    reasons.emplace_back(has_block_scales(asked.epilogue)
                             ? "nothing was learned from block scales"
                             : "nothing was learned from exact accumulation");
  }
  if (gpu.learned != nullptr && !gpu.learned->rows.empty()) {
    std::vector<GemmProblem> measured;
    for (const LearnedRow& row : gpu.learned->rows) {
      measured.push_back(in_pairs(parse_gemm_problem(row.problem)));
    }
    const GemmProblem problem = in_pairs(asked);
    const auto has_batch = [](const GemmProblem& row) { return row.batch.products > 1; };
    if (has_batch(problem) && std::ranges::none_of(measured, has_batch)) {
      reasons.emplace_back("nothing was learned from batches");
    }
    if (grouped_along_m(problem) && std::ranges::none_of(measured, grouped_along_m)) {
      reasons.emplace_back("nothing was learned from groups");
    }
    if (grouped_along_k(problem) && std::ranges::none_of(measured, grouped_along_k)) {
      reasons.emplace_back("nothing was learned from groups along K");
    }
    for (const std::string& side :
         {beyond("M", &GemmShape::m, problem, measured),
          beyond("N", &GemmShape::n, problem, measured),
          beyond("K", &GemmShape::k, problem, measured, k_elements(asked.dtype))}) {
      if (!side.empty()) {
        reasons.push_back(side);
      }
    }
  }
  return reasons.empty() ? "little resembles a measured kernel" : join(reasons, "; ");
}

}  // namespace tilecast
