// Converts the stamps of an instrumented kernel to its timeline.
//
// Every SM counts cycles from its own start, and SMs of different GPCs run at different
// frequencies: each stamp is mapped to globaltimer through its SM's readings of both clocks
// (sm_clocks.h). A record counts cycles of the mean SM clock from the kernel's first instruction,
// so that cycles = time x mean clock holds for records as for a whole kernel; `sm_cycles` is the
// SM's own count.
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

/// Raw stamps, laid out as in TimelineBuffers. Unwritten bytes are 0xff.
struct TimelineStamps {
  std::vector<TimelineCta> ctas;
  std::vector<TileStamps> tiles;
  std::vector<TimelineReading> readings;
  u32 tiles_per_cta;
  i32 k_blocks;    // K blocks of a tile
  i32 warpgroups;  // number of warpgroups that multiply
  bool has_producer;

  i32 roles() const { return warpgroups + (has_producer ? 1 : 0); }
};

struct Timeline {
  std::vector<TileRecord> records;  // sorted by CTA, role and time
  Hertz sm_clock;                   // mean over the kernel and its SMs
  Hertz slowest_sm, fastest_sm;     // means over the kernel
  Seconds clock_error;              // SmClocks::error
  std::vector<i64> entries;         // first instruction of each CTA, in the cycles of the records
};

/// Throws Error if a CTA wrote no stamps or the readings give no clock. A CTA without tiles has an
/// entry and no record.
Timeline decode_timeline(const TimelineStamps& stamps);

/// Returns the first rule that the timeline breaks, in one line, or an empty string. Rules: each
/// CTA's roles work on the pieces of `expected` (expected_tile_trace) in order; the warpgroups of
/// ping_pong alternate; every span begins and ends in order; spans of a role do not overlap; all
/// spans end within `duration`, plus the clock errors of both, of the kernel's first instruction.
std::string timeline_fault(const Timeline& timeline, const KernelConfig& config,
                           std::span<const WalkedPiece> expected, u32 stride, Seconds duration);

/// Medians over all tiles, or pieces of tiles, and multiplying warpgroups, in cycles.
struct TimelineSummary {
  struct Reduction {
    Cycles wait, reduce;  // `reduce` excludes the store of C
  };

  Cycles tile, load, multiply;
  Cycles store;                        // store of C
  std::optional<Reduction> reduction;  // reduction that the pieces use
  // Time from the kernel's start to the first tile, as the median over the first CTAs.
  Cycles first_begin;
  Cycles first_spread;    // spread of their begins, first to last
  Cycles first_end, end;  // end of the first SM that runs out of work, and of the last SM
};

TimelineSummary summary_of(const Timeline& timeline);

}  // namespace tilecast
