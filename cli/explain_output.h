// Explanations: an answer of at most kColumns and kExplainLines, all that is known of each kernel
// side by side, or JSON, whose fields are fixed; fields may be added.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/predict/explain.h"
#include "model/spec/load_gpu.h"

namespace tilecast {

struct ExplainReport {
  const LoadedGpu& gpu;
  AnyProblem problem;
  Regime regime;
  Inputs inputs;
  std::vector<Explanation> kernels;  // as asked for
  std::optional<Explanation> best;   // of all candidates, where it was looked for
  Seconds elapsed;
  std::size_t draws = 0;                // of the routing that the problem is the first draw of
  std::vector<std::string> roles = {};  // of each kernel that explain chose itself
};

constexpr std::size_t kExplainLines = 25;
std::string explain_text(const ExplainReport& report);
/// Every field of the JSON, kernels side by side.
std::string explain_details(const ExplainReport& report);
nlohmann::ordered_json explain_json(const ExplainReport& report);

/// Sentences: why a kernel is slower or faster than the best, each with its share of the time.
std::vector<std::string> why_not_best(const ExplainReport& report, const Explanation& kernel,
                                      const Explanation& best);

/// The same configuration.
bool is_best(const Explanation& kernel, const Explanation& best);

}  // namespace tilecast
