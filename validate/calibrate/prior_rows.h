// What another GPU's calibration learned, as rows beside those of a GPU of which little was
// measured. Physics differs between GPUs by their constants; what it leaves out is much the same.
//
// Leaves out: rows that the other calibration had of a third GPU, and rows of the same kernel,
// problem and regime as one of the GPU's own, which says it better and may be the same measurement.
// The others share the folds of the own rows, so that nothing of a problem that is left out is
// known. Checked by: prior_rows_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/spec/learned_model.h"
#include "validate/calibrate/fit_rows.h"

namespace tilecast {

/// A calibration of before, for rows that are too few to learn everything from.
struct LearnedBefore {
  const LearnedModel* model = nullptr;  // null: there is none
  std::string gpu = {};  // whose rows count beside the own; empty: its lengths alone are taken
};

struct PriorRows {
  std::vector<const LearnedRow*> rows;
  std::vector<std::size_t> place;  // in the model
  std::vector<int> group;          // FitRow's; negative: no own row is of that problem

  std::size_t count() const { return rows.size(); }
};

/// `most` of them at most, drawn by a seed; in the model's order.
PriorRows prior_rows(const LearnedModel& model, const FitRows& own, std::size_t most);

}  // namespace tilecast
