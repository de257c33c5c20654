// Explanations: a summary of at most kColumns and kExplainLines, everything known about each kernel
// in columns, or JSON, whose fields are fixed; fields may be added.
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
  std::vector<Explanation> kernels;  // in the requested order
  std::optional<Explanation> best;   // the best of all candidates, if these were searched
  Seconds elapsed;
  // Number of random routings, of which the problem is one.
  std::size_t draws = 0;
  std::vector<std::string> roles = {};  // role of each kernel that explain chose itself
};

constexpr std::size_t kExplainLines = 25;
std::string explain_text(const ExplainReport& report);
/// Returns every field of the JSON, kernels in columns.
std::string explain_details(const ExplainReport& report);
nlohmann::ordered_json explain_json(const ExplainReport& report);
/// Returns a row per kernel in the columns of predict, the best first.
std::string explain_csv(const ExplainReport& report);

/// Returns sentences that explain why a kernel is slower or faster than the best, each with its
/// share of the time.
std::vector<std::string> why_not_best(const ExplainReport& report, const Explanation& kernel,
                                      const Explanation& best);

/// Whether the configurations are equal.
bool is_best(const Explanation& kernel, const Explanation& best);

}  // namespace tilecast
