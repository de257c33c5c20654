// What a row of a block touches of L2: lines, sectors, pairs of sectors, by where rows start. The
// closed forms and the simulator both ask.
// Checked by: row_cost_test.cpp.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

constexpr i64 kLineBytes = 128, kSectorBytes = 32;  // bytes

/// Means over all places in a line at which rows start.
struct RowCost {
  double lines;                           // touched
  double sectors;                         // touched
  double pairs;                           // of sectors of one line, which L2 puts out together
  double shifted_sectors, shifted_pairs;  // the same of rows that start inside a sector
};

/// Of rows of `bytes`, at most a line, that lie `pitch` bytes apart.
RowCost row_cost(i64 bytes, i64 pitch);

}  // namespace tilecast
