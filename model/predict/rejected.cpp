#include "model/predict/rejected.h"

#include <algorithm>

// Declares the rules of every op. Without one of these headers the call below would be recursive.
#include "model/attention/attention_model.h"
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
  std::string words(reason == "tma_box"         ? "TMA box"
                    : reason == "never_pays"    ? "dominated"
                    : reason == "no_split_pays" ? "no useful split"
                                                : reason);
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string why_rejected(const GpuSpec& gpu, const AnyProblem& problem, std::string_view reason,
                         const AnyConfig& config) {
  return visit_op(problem, config, [&](const auto& own, const auto& kernel) {
    return why_rejected(gpu, own, reason, kernel);
  });
}

}  // namespace tilecast
