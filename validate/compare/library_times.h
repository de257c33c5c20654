// Compares forecasts with a library's published times, by size of problem. A library does not
// report which kernel it ran, so its time is compared with the top pick of the whole search space,
// and with the formula that planners use without measurements:
//
// time = roofline_time / 0.8 + 3 us
//
// L2 may still contain operands of the previous kernel (rotated_weights.h). Not modelled: gaps
// between kernels, which are part of a library's times. Checked by: library_times_test.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "validate/compare/public_cases.h"
#include "validate/compare/statistics.h"

namespace tilecast {

/// Errors over the problems of one size class, by the library's time.
struct LibraryErrors {
  std::string size;
  ErrorFigures forecast, fallback;  // errors against the median collection
  // Error of the forecast compared with the fastest collection.
  std::optional<ErrorFigures> against_fastest;
  double inside_90;  // fraction of times in the forecast's interval
};

struct LibraryJudgement {
  std::string gpu, file;
  // All sizes, then each size class that has problems, from short to long.
  std::vector<LibraryErrors> sizes;
  std::vector<PublicCase> cases;
};

/// Compares the forecast with the rows of this GPU in a CSV with the columns gpu,m,n,k,median_us
/// and, optionally, min_us. If the file has no rows under the GPU's name, a name with a suffix
/// counts, such as `b200_sxm` for b200. Throws FileError, ConfigError `file: ...`, and the
/// exceptions of load_gpu. `copies_of_b`: as in PublicSource.
LibraryJudgement judge_library(const std::string& file, const std::string& gpu, i32 copies_of_b);

/// Formats a Markdown table with one row per size.
std::string library_table(const LibraryJudgement& judgement);
/// {"schema": 1, "gpu", "file", "sizes": [...], "cases": [...]}
nlohmann::ordered_json library_json(const LibraryJudgement& judgement);

}  // namespace tilecast
