// Computes how many L2 lines, sectors and sector pairs a row of a block touches, depending on its
// alignment. Used by the analytic model and the simulator. Checked by: row_cost_test.cpp.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

constexpr i64 kLineBytes = 128, kSectorBytes = 32;  // bytes

/// Means over all offsets within a line at which rows start.
struct RowCost {
  double lines;            // lines touched
  double sectors;          // sectors touched
  double partial_sectors;  // sectors of which only a part is touched
  double pairs;            // pairs of sectors of one line, which L2 delivers together
  double shifted_sectors,
      shifted_pairs;  // sectors and pairs touched by rows that start inside a sector
};

/// Computes the cost of rows of `bytes`, at most a line, with a pitch of `pitch` bytes.
RowCost row_cost(i64 bytes, i64 pitch);

}  // namespace tilecast
