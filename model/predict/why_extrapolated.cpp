#include "model/predict/why_extrapolated.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/predict/kernel_features.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/problem_text.h"
#include "model/learn/learned.h"
#include "model/predict/predict_op.h"
#include "model/spec/learned_model.h"

namespace tilecast {
namespace {

/// Returns "K is 65536 (measured: 64 to 32768)"; empty if it is within the measured sizes. Sizes
/// are compared in units of `unit` elements.
template <class Size>
std::string beyond(const char* name, Size size, const GemmProblem& problem,
                   const std::vector<GemmProblem>& measured, double unit = 1) {
  const auto [least, most] = std::ranges::minmax(measured, {}, size);
  const i64 low = size(least), high = size(most), own = size(problem);
  const auto elements = [unit](i64 of) { return std::llround(static_cast<double>(of) * unit); };
  return own >= low && own <= high ? std::string()
                                   : fmt::format("{} is {} (measured: {} to {})", name,
                                                 elements(own), elements(low), elements(high));
}

/// Memory-bound kernels have no learned correction.
std::string why_extrapolated(const GpuSpec&, const StreamProblem&) { return {}; }

}  // namespace

std::string why_extrapolated(const GpuSpec& gpu, const GemmProblem& asked) {
  std::vector<std::string> reasons;
  if (never_learned(asked)) {
    reasons.emplace_back(has_block_scales(asked.epilogue)
                             ? "block scales were not in the training data"
                             : "exact accumulation was not in the training data");
  }
  if (gpu.learned != nullptr && !gpu.learned->rows.empty()) {
    std::vector<GemmProblem> measured;
    for (const LearnedRow& row : gpu.learned->rows) {
      measured.push_back(parse_gemm_problem(row.problem));
    }
    const GemmProblem& problem = asked;
    const auto has_batch = [](const GemmProblem& row) { return row.batch.products > 1; };
    if (has_batch(problem) && std::ranges::none_of(measured, has_batch)) {
      reasons.emplace_back("batches were not in the training data");
    }
    if (grouped_along_m(problem) && std::ranges::none_of(measured, grouped_along_m)) {
      reasons.emplace_back("groups were not in the training data");
    }
    if (grouped_along_k(problem) && std::ranges::none_of(measured, grouped_along_k)) {
      reasons.emplace_back("groups along K were not in the training data");
    }
    for (const std::string& side :
         {beyond(
              "M", [](const GemmProblem& p) { return p.shape.m; }, problem, measured),
          beyond(
              "N", [](const GemmProblem& p) { return p.shape.n; }, problem, measured),
          // K is compared in bytes, because tensor cores process the same number of bytes of any
          // type.
          beyond(
              "K", [](const GemmProblem& p) { return p.shape.k * element_bytes(p.dtype); }, problem,
              measured, 1.0 / element_bytes(asked.dtype))}) {
      if (!side.empty()) {
        reasons.push_back(side);
      }
    }
  }
  return reasons.empty() ? "no measured kernel is similar" : join(reasons, "; ");
}

std::string why_extrapolated(const GpuSpec& gpu, const AnyProblem& problem) {
  return std::visit([&](const auto& own) { return why_extrapolated(gpu, own); }, problem);
}

}  // namespace tilecast
