// Where the SMs' time goes, from a timeline. Of each SM, in this order, up to the kernel's end:
//   start     until its first K block is there
//   multiply  some warpgroup is between its first K block and the end of its last wgmma
//   between   none is, but one will be: epilogues and loads that nothing hides
//   end       after the last wgmma: its last stores, waiting for other SMs' last tiles, and what
//             the launch and the end of the kernel take
// Waves that a simulation leaves out (steady_waves.h) are split as the steady
// ones before them, which are those between two times of it. Each is the mean over all SMs of the
// chip; one without a tile is at its end all the time. Checked by: time_split_test.cpp.
#pragma once

#include <vector>

#include "model/base/tile_span.h"

namespace tilecast {

/// Shares of a kernel's time; they add up to 1.
struct TimeSplit {
  double start, multiply, between, end;
};

/// What a simulation left out, and the part of it that stands for that.
struct LeftOut {
  Picoseconds steady_begin, steady_end;
  Picoseconds time;  // 0: nothing
};

/// `kernel`: the time of what was simulated.
TimeSplit time_split(const std::vector<TileSpan>& tiles, i32 sms, Picoseconds kernel,
                     LeftOut left_out = {});

}  // namespace tilecast
