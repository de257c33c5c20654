// Splits the SMs' time by activity, from a timeline. For each SM, in this order, up to the kernel's
// end:
//   start     until its first K block has arrived
//   multiply  some warpgroup is between its first K block and the end of its last wgmma
//   between   no warpgroup is, but one will be: exposed epilogues and loads
//   end       after the last wgmma: last stores, waiting for other SMs' last tiles, kernel launch
//             and end
// Waves that the simulation skipped (steady_waves.h) are split like the preceding steady waves,
// which lie between two given times. Values are means over all SMs; an SM without tiles counts as
// `end`. Checked by: time_split_test.cpp.
#pragma once

#include <vector>

#include "model/base/tile_span.h"

namespace tilecast {

/// Fractions of a kernel's time; they add up to 1.
struct TimeSplit {
  double start, multiply, between, end;
};

/// Skipped time, and the simulated interval that represents it.
struct LeftOut {
  Picoseconds steady_begin, steady_end;
  Picoseconds time;  // skipped time; 0 if nothing was skipped
};

/// `kernel`: simulated time, skipped waves excluded.
TimeSplit time_split(const std::vector<TileSpan>& tiles, i32 sms, Picoseconds kernel,
                     LeftOut left_out = {});

}  // namespace tilecast
