#include "model/predict/rejected.h"

#include <algorithm>

#include "model/predict/candidates.h"
#include "model/predict/legality.h"
#include "model/predict/stream_candidates.h"

namespace tilecast {

std::string rejection_words(std::string_view reason) {
  std::string words(reason == "tma_box" ? "TMA box" : reason);
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string why_rejected(const GpuSpec& gpu, const AnyProblem& problem, std::string_view reason,
                         const AnyConfig& config) {
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  if (gemm == nullptr) {
    return why_not_legal(gpu, std::get<StreamProblem>(problem), std::get<StreamConfig>(config));
  }
  const KernelConfig& kernel = std::get<KernelConfig>(config);
  if (reason != kNeverPays) {
    return describe_refusal(check_legal(gpu, *gemm, kernel), gpu, *gemm, kernel);
  }
  return kernel.store == Store::kDeferred
             ? "a smaller tile or cluster covers C as well, or no tile follows to store under"
             : "a smaller tile or cluster covers C as well";
}

}  // namespace tilecast
