// Explanations as a table of at most 80 columns, kernels side by side, or as JSON, whose fields are
// fixed; fields may be added.
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
  bool is_runner_up;                 // nothing was: the one kernel is the best of another schedule
  std::optional<Explanation> best;   // of all candidates, where it was looked for
  Seconds elapsed;
};

std::string explain_table(const ExplainReport& report);
nlohmann::ordered_json explain_json(const ExplainReport& report);

/// Sentences: by how much a kernel is slower or faster than the best, and what makes it so.
std::vector<std::string> why_not_best(const ExplainReport& report, const Explanation& kernel,
                                      const Explanation& best);

/// The same configuration.
bool is_best(const Explanation& kernel, const Explanation& best);

}  // namespace tilecast
