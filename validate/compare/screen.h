// Whether what `predict` simulates holds what it should: of a problem, a configuration that was
// measured within 1 % of the best of all that were measured. What it does not simulate it ranks by
// closed form alone.
//
// Leaves out: configurations as fast that nobody measured, so the share is a lower bound.
// Checked by: screen_test.cpp.
#pragma once

#include <cstddef>
#include <vector>

#include "model/predict/predict.h"
#include "validate/compare/join.h"

namespace tilecast {

struct Screen {
  std::size_t problems = 0;   // bursts of GEMMs of which eight configurations or more were measured
  std::size_t held = 0;       // with such a configuration among the simulated
  std::size_t simulated = 0;  // in all problems
};

Screen screen_of(const GpuSpec& gpu, const std::vector<JoinedGroup>& groups, const Effort& effort);

}  // namespace tilecast
