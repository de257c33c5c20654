// Rows of another GPU's learned correction, used as a prior for a GPU with few measurements. GPUs
// differ mostly in constants; the residuals of the model are similar.
//
// Excludes: rows that the other calibration itself took from a third GPU, and rows for a kernel,
// problem and regime that this GPU's rows contain too (they are better, and may be the same
// measurement). The rest use this GPU's folds, so that no held-out problem leaks. Checked by:
// prior_rows_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/spec/learned_model.h"
#include "validate/calibrate/fit_rows.h"

namespace tilecast {

/// An earlier calibration, for a GPU with few rows.
struct LearnedBefore {
  const LearnedModel* model = nullptr;  // null without an earlier calibration
  std::string gpu = {};  // GPU of its rows, which are used as a prior; if empty, only its length
                         // scales are used
};

struct PriorRows {
  std::vector<const LearnedRow*> rows;
  std::vector<std::size_t> place;  // indices of the rows in the model
  std::vector<int>
      group;  // group as in FitRow::group; negative if the GPU has no row of that problem

  std::size_t count() const { return rows.size(); }
};

/// Returns at most `most` rows, drawn with a seed, in the model's order.
PriorRows prior_rows(const LearnedModel& model, const LearnRows& own, std::size_t most);

}  // namespace tilecast
