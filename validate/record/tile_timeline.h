// A measured timeline: when each role of each CTA worked on each tile or piece of a tile, relative
// to the kernel's first instruction, in cycles of the mean SM clock (SM clocks differ). Reads it
// from CSV, and converts it to spans.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/tile_span.h"
#include "model/base/units.h"

namespace tilecast {

/// Times as in TileSpan. In the CSV a producer has no main_loop_end; here it equals `stored`.
struct TileRecord {
  struct Reduction {
    i64 waited, reduced;

    bool operator==(const Reduction&) const = default;
  };

  i32 sm;
  i32 cta;        // blockIdx
  i32 place;      // index among the CTAs resident on its SM at the same time
  i32 warpgroup;  // index in the CTA; the producer's follows the consumers'
  TileRole role;
  u32 tile_m, tile_n;
  i32 k_begin, k_end;  // range of K blocks
  i64 begin, first_operands, multiplied, stored;
  std::optional<Reduction> reduction = {};  // set for a consumer that multiplied only part of K
  i64 sm_cycles = 0;                        // begin to stored, in the SM's own cycles

  bool operator==(const TileRecord&) const = default;
};

/// Reads the columns sm, cta, place, role, tile_m, tile_n, k_begin, k_end, begin, first_data,
/// main_loop_end, wait_end, reduction_end, end, sm_cycles; role is producer<i> or warpgroup<i>.
/// Throws ConfigError `name:line: column: expectation`.
std::vector<TileRecord> parse_tile_timeline(std::string_view text, std::string_view name);

/// Converts the records to time with the kernel's mean clock.
std::vector<TileSpan> tile_spans(std::span<const TileRecord> records, Hertz sm_clock);

}  // namespace tilecast
