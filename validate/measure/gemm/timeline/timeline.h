// Converts the stamps of an instrumented kernel to its timeline.
//
// Every SM counts cycles from its own start, and SMs of different GPCs run at different
// frequencies: each stamp is mapped to the wall clock by its SM's readings of both (sm_clocks.h). A
// record counts from the kernel's first instruction in cycles of the mean SM clock, so that time x
// mean clock holds for it as for a whole kernel; `sm_cycles` is the SM's own count.
//
// Checked by: timeline_test.cpp (synthetic clocks; on the device: every piece of work once, in
// order, inside the kernel's duration).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/gemm/gemm_args.h"
#include "kernels/gemm/timeline_stamps.h"
#include "model/base/units.h"
#include "model/gemm/config/kernel_config.h"
#include "validate/record/tile_timeline.h"

namespace tilecast {

/// As TimelineBuffers says. Unwritten bytes are 0xff.
struct TimelineStamps {
  std::vector<TimelineCta> ctas;
  std::vector<TileStamps> tiles;
  std::vector<TimelineReading> readings;
  u32 tiles_per_cta;
  i32 k_blocks;    // of a tile
  i32 warpgroups;  // that multiply
  bool has_producer;

  i32 roles() const { return warpgroups + (has_producer ? 1 : 0); }
};

struct Timeline {
  std::vector<TileRecord> records;  // by CTA, role and time
  Hertz sm_clock;                   // mean over the kernel and its SMs
  Hertz slowest_sm, fastest_sm;     // mean over the kernel
  Seconds clock_error;              // SmClocks::error
  std::vector<i64> entries;         // of each CTA: its first instruction, in cycles as the records
};

/// Throws Error if a CTA wrote nothing or the readings give no clock. A CTA without tiles has
/// written its entry and no record.
Timeline decode_timeline(const TimelineStamps& stamps);

/// The first rule that the timeline breaks, as one line; empty if there is none: each CTA's
/// roles work on the pieces of `expected` (expected_tile_trace), in its order; ping_pong's
/// warpgroups in turn; every span begins and ends in order; spans of a role do not overlap; all end
/// within `duration` of the kernel's first instruction and the clock errors of both.
std::string timeline_fault(const Timeline& timeline, const KernelConfig& config,
                           std::span<const WalkedPiece> expected, u32 stride, Seconds duration);

/// Medians over all tiles, or pieces of them, and warpgroups that multiply, in cycles.
struct TimelineSummary {
  struct Reduction {
    Cycles wait, reduce;  // the latter without the store of C
  };

  Cycles tile, load, multiply;
  Cycles store;                        // of C
  std::optional<Reduction> reduction;  // of the pieces
  Cycles first_begin;   // the kernel's start to the first tile's begin: median over the first CTAs
  Cycles first_spread;  // of their begins, first to last
  Cycles first_end, end;  // the first SM has no work left; the last one
};

TimelineSummary summary_of(const Timeline& timeline);

}  // namespace tilecast
