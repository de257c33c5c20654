#include "model/predict/rejected.h"

#include <algorithm>

#include "model/gemm/menu/candidates.h"
#include "model/gemm/menu/legality.h"
#include "model/gemm/menu/proposals.h"
#include "model/stream/stream_rules.h"

namespace tilecast {

std::string why_not_legal(const GpuSpec& gpu, const AnyProblem& problem, const AnyConfig& config) {
  return visit_op(problem, config, [&](const auto& own, const auto& kernel) {
    return why_not_legal(gpu, own, kernel);
  });
}

std::string rejection_words(std::string_view reason) {
  std::string words(reason == "tma_box" ? "TMA box" : reason);
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string why_rejected(const GpuSpec& gpu, const AnyProblem& problem, std::string_view reason,
                         const AnyConfig& config) {
  if (reason == kNoSplitPays) {
    return why_no_split_pays(gpu, std::get<GemmProblem>(problem), std::get<KernelConfig>(config));
  }
  if (reason != kNeverPays) {
    return why_not_legal(gpu, problem, config);
  }
  return std::get<KernelConfig>(config).store == Store::kDeferred
             ? "a smaller tile or cluster covers C as well, or no tile follows to store under"
             : "a smaller tile or cluster covers C as well";
}

}  // namespace tilecast
