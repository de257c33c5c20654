#include "model/predict/why_extrapolated.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/base/text.h"
#include "model/gemm/predict/kernel_features.h"
#include "model/gemm/problem/group_rows.h"
#include "model/learn/learned.h"
#include "model/predict/predict_op.h"
#include "model/spec/learned_model.h"

namespace tilecast {
namespace {

/// Memory-bound kernels have no learned correction.
std::string why_extrapolated(const GpuSpec&, const StreamProblem&) { return {}; }

}  // namespace

std::string why_extrapolated(const GpuSpec& gpu, const GemmProblem& asked) {
  std::vector<std::string> reasons;
  if (gpu.learned == nullptr) {
    return "no kernel was measured";
  }
  const LearnedModel& model = *gpu.learned;
  std::vector<std::string> kinds;
  for (const std::string_view kind : kinds_of(asked)) {
    if (std::ranges::find(model.kinds, kind) == model.kinds.end()) {
      kinds.emplace_back(kind);
    }
  }
  if (!kinds.empty()) {
    reasons.push_back(fmt::format("not in the training data: {}", join(kinds, ", ")));
  }
  // K is compared in bytes, since tensor cores process the same bytes for any type.
  const FeatureScale& measured = model.scale[feature_index(model.features, "k")];
  const double unit = 2.0 / element_bytes(asked.dtype), k = mean_k(asked);
  const double own = std::log(k / unit);
  constexpr double kRounding = 1e-9;  // of the logarithms
  if (own < measured.least - kRounding || own > measured.most + kRounding) {
    reasons.push_back(fmt::format("K is {:.0f} (measured: {:.0f} to {:.0f})", k,
                                  std::exp(measured.least) * unit, std::exp(measured.most) * unit));
  }
  return reasons.empty() ? "no measured kernel is similar" : join(reasons, "; ");
}

std::string why_extrapolated(const GpuSpec& gpu, const AnyProblem& problem) {
  return std::visit([&](const auto& own) { return why_extrapolated(gpu, own); }, problem);
}

}  // namespace tilecast
