// From the stamps of an instrumented kernel to its timeline.
//
// Every SM counts cycles from a start of its own, all at one frequency f. A CTA reads clock64 and
// globaltimer together twice; with f = sum of cycles between an SM's first and last reading over
// the sum of nanoseconds, SM s was at cycle C_s = mean(cycles - f x nanoseconds) when globaltimer
// was 0. A stamp c is then c - C_s - f x t0 cycles after the kernel's first instruction, which the
// first CTA ran at t0.
//
// Leaves out: a clock that changes inside the kernel bends time but not cycles, as all SMs share
// it. globaltimer moves in steps; `clock_error` says how far the readings lie from the map.
// Checked by: timeline_test.cpp (clocks made up; on the device: every tile once, in order, inside
// the kernel's duration).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/gemm/timeline_stamps.h"
#include "model/base/units.h"
#include "model/tile/kernel_config.h"
#include "model/tile/tile_scheduler.h"
#include "validate/record/tile_timeline.h"

namespace tilecast {

/// As TimelineBuffers says. Unwritten bytes are 0xff.
struct TimelineStamps {
  std::vector<CtaStamps> ctas;
  std::vector<TileStamps> tiles;
  u32 tiles_per_cta;
  i32 warpgroups;  // that multiply
  bool has_producer;

  i32 roles() const { return warpgroups + (has_producer ? 1 : 0); }
};

struct Timeline {
  std::vector<TileRecord> records;  // by CTA, role and time
  Hertz sm_clock;                   // mean over the kernel
  Seconds clock_error;              // the farthest reading from the map
  std::vector<i64> entries;         // of each CTA: its first instruction, in cycles as the records
};

/// Throws Error where a CTA wrote nothing or the readings give no clock.
Timeline decode_timeline(const TimelineStamps& stamps);

/// The first rule that the timeline breaks, as one line; empty where there is none: each CTA's
/// roles work on the tiles of `expected` (expected_tile_trace), in its order; ping_pong's
/// warpgroups in turn; every span begins and ends in order; spans of a role do not overlap; all lie
/// within `duration` of the kernel's first instruction.
std::string timeline_fault(const Timeline& timeline, const KernelConfig& config,
                           std::span<const TileCoord> expected, u32 stride, Seconds duration);

/// Medians over all tiles and warpgroups that multiply, in cycles.
struct TimelineSummary {
  Cycles tile, load, multiply, store;
  Cycles first_begin;   // the kernel's start to the first tile's begin: median over the first CTAs
  Cycles first_spread;  // of their begins, first to last
  Cycles first_end, end;  // the first SM has no work left; the last one
};

TimelineSummary summary_of(const Timeline& timeline);

}  // namespace tilecast
