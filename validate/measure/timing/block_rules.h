// Decides when a point has been timed enough, and which of its blocks count.
//
// A block is a series of launches without a pause, with one SM clock read over it. A block whose
// clock differs from the median clock of all blocks by more than a bound has drifted: the GPU was
// in another state. Its samples are kept but not counted. Burst blocks repeat until the medians of
// the counted ones agree; at least 3 and at most 7 are counted, and at most 12 are measured.
// Checked by: block_rules_test.cpp.
#pragma once

#include <vector>

#include "model/base/units.h"
#include "validate/record/measurement.h"

namespace tilecast {

struct BlockRules {
  std::size_t least = 3, most = 7;  // number of blocks that count
  std::size_t most_taken = 12;      // number of blocks including drifted ones
  double quiet_spread = 0.005;      // (q3 - q1) / median of the blocks' medians
  // Largest clock difference of a counted block from the median of all.
  double clock_drift = 0.01;
};

/// Sets `drifted` of each block.
void mark_drifted(std::vector<SampleBlock>& blocks, const BlockRules& rules);

/// Whether no further block is needed; `blocks` must be marked.
bool enough(const std::vector<SampleBlock>& blocks, const BlockRules& rules);

struct BlockSummary {
  TimeDistribution time;  // over all counted launches
  Hertz clock;            // time-weighted mean over the counted blocks
  std::size_t counted, discarded;
};

/// Throws Error(kWrong) if fewer than rules.least blocks count.
BlockSummary summary_of(const std::vector<SampleBlock>& blocks, const BlockRules& rules);

/// (q3 - q1) / median of `values`.
double relative_spread(const std::vector<Seconds>& values);

}  // namespace tilecast
