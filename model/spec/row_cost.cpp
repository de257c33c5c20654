#include "model/spec/row_cost.h"

#include <algorithm>

#include "model/base/math.h"

namespace tilecast {

RowCost row_cost(i64 bytes, i64 pitch) {
  RowCost sum{};
  double rows = 0;
  for (i64 at = 0; rows == 0 || at != 0; at = (at + pitch) % kLineBytes, ++rows) {
    double lines = 0, sectors = 0, pairs = 0;
    for (i64 line = 0; line < at + bytes; line += kLineBytes) {
      const i64 first = std::max(line, at), end = std::min(line + kLineBytes, at + bytes);
      const i64 touched = ceil_div(end, kSectorBytes) - first / kSectorBytes;
      lines += 1;
      sectors += static_cast<double>(touched);
      pairs += static_cast<double>(ceil_div<i64>(touched, 2));
    }
    sum.lines += lines;
    sum.sectors += sectors;
    sum.pairs += pairs;
    if (at % kSectorBytes != 0) {
      sum.shifted_sectors += sectors;
      sum.shifted_pairs += pairs;
    }
  }
  return {sum.lines / rows, sum.sectors / rows, sum.pairs / rows, sum.shifted_sectors / rows,
          sum.shifted_pairs / rows};
}

}  // namespace tilecast
