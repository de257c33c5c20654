// A timeline as Chrome trace JSON: open it in https://ui.perfetto.dev or chrome://tracing. The one
// writer of simulated and measured timelines, so that the two can be laid side by side.
//
// An SM is a process, a role of a CTA a thread: first the producer, then the warpgroups. A tile is
// three spans: load (waiting for the first K block), multiply, store; of a producer two: wait (for
// a free stage) and issue (of all its loads). A piece of a tile has two more before its store,
// await (the others' partial sums) and reduce, and no store where it hands its sum on. K blocks are
// args. CTAs are numbered per SM, in order of `cta`.
#pragma once

#include <string>
#include <vector>

#include "model/base/tile_span.h"

namespace tilecast {

std::string chrome_trace(const std::vector<TileSpan>& tiles);

}  // namespace tilecast
