#include "model/spec/row_cost.h"

#include <algorithm>

#include "model/base/math.h"

namespace tilecast {

RowCost row_cost(i64 bytes, i64 pitch) {
  RowCost sum{};
  double rows = 0;
  for (i64 at = 0; rows == 0 || at != 0; at = (at + pitch) % kLineBytes, ++rows) {
    double lines = 0, sectors = 0, pairs = 0;
    const i64 first_sector = at / kSectorBytes, last_sector = (at + bytes) / kSectorBytes;
    const bool starts_inside = at % kSectorBytes != 0,
               ends_inside = (at + bytes) % kSectorBytes != 0;
    const bool both_in_one = starts_inside && ends_inside && first_sector == last_sector;
    sum.partial_sectors += both_in_one ? 1 : (starts_inside ? 1 : 0) + (ends_inside ? 1 : 0);
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
    if (starts_inside) {
      sum.shifted_sectors += sectors;
      sum.shifted_pairs += pairs;
    }
  }
  return {sum.lines / rows, sum.sectors / rows,         sum.partial_sectors / rows,
          sum.pairs / rows, sum.shifted_sectors / rows, sum.shifted_pairs / rows};
}

}  // namespace tilecast
