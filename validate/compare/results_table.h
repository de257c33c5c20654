// The table of docs/dev/results.md: the predicted best, the measured best, and cuBLASLt.
#pragma once

#include <string>
#include <string_view>

#include "model/tile/gemm_problem.h"
#include "validate/compare/join.h"

namespace tilecast {

/// 4096x4096x4096, with dtype and layout where they are not fp16 and tn.
std::string gemm_problem_text(const GemmProblem& problem);

/// Markdown: a table with one row for each group of GEMMs that has points, and what its columns
/// mean.
std::string results_table(const JoinedData& data);

/// `text` with everything between the two marker lines replaced by `content`, which ends with a
/// line end. Throws ConfigError `name: ...` where each marker does not stand once, in order.
std::string replace_between_markers(std::string_view text, std::string_view name,
                                    std::string_view content);

}  // namespace tilecast
