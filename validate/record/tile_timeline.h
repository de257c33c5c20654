// A measured timeline: when each role of each CTA worked on each tile, in SM cycles since the
// kernel's first instruction. CSV in and out, and the spans that a trace is drawn from.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/tile_span.h"
#include "model/base/units.h"

namespace tilecast {

/// Times as in TileSpan. In the CSV a producer has no main_loop_end; here it is its `stored`.
struct TileRecord {
  i32 sm;
  i32 cta;        // blockIdx
  i32 place;      // on its SM, among the CTAs that live there at the same time
  i32 warpgroup;  // of the CTA; the producer's comes behind the consumers'
  TileRole role;
  u32 tile_m, tile_n;
  i64 begin, first_operands, multiplied, stored;

  bool operator==(const TileRecord&) const = default;
};

/// sm, cta, place, role, tile_m, tile_n, begin, first_data, main_loop_end, end; role is producer<i>
/// or warpgroup<i>.
std::string tile_timeline_csv(std::span<const TileRecord> records);

/// Throws ConfigError `name:line: column: what was expected`.
std::vector<TileRecord> parse_tile_timeline(std::string_view text, std::string_view name);

/// In time, at the mean clock of the kernel.
std::vector<TileSpan> tile_spans(std::span<const TileRecord> records, Hertz sm_clock);

}  // namespace tilecast
