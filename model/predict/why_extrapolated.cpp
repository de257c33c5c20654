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
  for (const std::string_view kind : kinds_of(asked)) {
    if (std::ranges::find(model.kinds, kind) == model.kinds.end()) {
      reasons.push_back(fmt::format("{} {} not in the training data", kind,
                                    kind.ends_with('n') ? "was" : "were"));
    }
  }
  // K is compared in bytes, since tensor cores process the same bytes for any type.
  const FeatureScale& measured = model.scale[feature_index(model.features, "k")];
  const double unit = 2.0 / element_bytes(asked.dtype);
  const auto elements = [unit](double log) { return std::llround(std::exp(log) * unit); };
  const i64 least = elements(measured.least), most = elements(measured.most);
  const i64 k = std::llround(mean_k(asked));
  if (k < least || k > most) {
    reasons.push_back(fmt::format("K is {} (measured: {} to {})", k, least, most));
  }
  return reasons.empty() ? "no measured kernel is similar" : join(reasons, "; ");
}

std::string why_extrapolated(const GpuSpec& gpu, const AnyProblem& problem) {
  return std::visit([&](const auto& own) { return why_extrapolated(gpu, own); }, problem);
}

}  // namespace tilecast
