#include "model/predict/why_extrapolated.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "model/base/text.h"
#include "model/spec/learned_model.h"
#include "model/tile/any_op.h"

namespace tilecast {
namespace {

/// "K is 65536, of measured kernels 64 to 32768"; empty where it is among them.
std::string beyond(const char* name, i64 GemmShape::*side, const GemmShape& shape,
                   const std::vector<GemmShape>& measured) {
  const auto [least, most] = std::ranges::minmax(measured, {}, side);
  if (shape.*side >= least.*side && shape.*side <= most.*side) {
    return "";
  }
  return fmt::format("{} is {}, of measured kernels {} to {}", name, shape.*side, least.*side,
                     most.*side);
}

}  // namespace

std::string why_extrapolated(const GpuSpec& gpu, const GemmProblem& problem) {
  std::vector<std::string> reasons;
  if (fuses(problem.epilogue)) {
    reasons.emplace_back("nothing was learned from epilogues");
  }
  if (gpu.learned != nullptr && !gpu.learned->rows.empty()) {
    const auto none_has = [&](char mark) {
      return std::ranges::none_of(gpu.learned->rows, [mark](const LearnedRow& row) {
        return row.problem.find(mark) != std::string::npos;
      });
    };
    if (problem.batch.products > 1 && none_has('*')) {
      reasons.emplace_back("nothing was learned from batches");
    }
    if (problem.groups != nullptr && none_has('[')) {
      reasons.emplace_back("nothing was learned from groups");
    }
    std::vector<GemmShape> measured;
    for (const LearnedRow& row : gpu.learned->rows) {
      const AnyProblem problem_of_row = parse_problem(Op::kGemm, split(row.problem, ' ').front(),
                                                      ElementType::kFp16, Layout::kTn);
      measured.push_back(std::get<GemmProblem>(problem_of_row).shape);
    }
    for (const std::string& side : {beyond("M", &GemmShape::m, problem.shape, measured),
                                    beyond("N", &GemmShape::n, problem.shape, measured),
                                    beyond("K", &GemmShape::k, problem.shape, measured)}) {
      if (!side.empty()) {
        reasons.push_back(side);
      }
    }
  }
  return reasons.empty() ? "little resembles a measured kernel" : join(reasons, "; ");
}

}  // namespace tilecast
