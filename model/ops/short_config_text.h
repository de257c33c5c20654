// A configuration in few characters, as tables show it, and back:
//   ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8
//   skh 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8 k8+a
//   eat 64x128 s3 w8 o1 sw mx strided hn
// The schedule's abbreviation (of one whose grid is open with 1: a tile per CTA, t: takeover);
// tile; s stages; w warpgroups; c cluster, or of tcgen05 the CTAs that share an instruction; o CTAs
// per SM; i K blocks in flight; e staging slots of C, d where its store is deferred; the order of
// tiles: m, n bands of so many tile rows, columns, h Hilbert, k behind it chunked; k the parts of a
// tile, or their least K blocks and +, with t, a, s for the reduction; of small_mma ss or rs, where
// A comes from, and in, the instruction's columns; a accumulators; r the producer's registers where
// they are not default_producer_registers. Of memory-bound kernels: block; s; w warps; v bytes of a
// vector; o; pl, sw the layout; mx, fl the view; the order of blocks; h and n, e, l, s the hint. Of
// attention: rows and keys; s; o; ct, re the grid; st, lf, dy the order; k splits; pk packed heads.
// Checked by: short_config_text_test.cpp (every candidate), cli/committed_data_test.cpp (the
// pages).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/ops/any_op.h"

namespace tilecast {

std::string short_text(const AnyConfig& config);

/// Inverse of short_text; nothing where `text` is not the whole of one. `text` begins with an
/// abbreviation, words are parted by one space.
std::optional<AnyConfig> parse_short_config(std::string_view text);

/// The schedule as the field names it: "cooperative", "pingpong", "stream-K"; else by its own name.
std::string field_name(const AnyConfig& config);

/// The traits' abbreviation, or that of a memory-bound schedule.
std::string_view abbreviation_of(const AnySchedule& schedule);
/// The schedule that the first word of a short text names, with or without how it takes tiles.
std::optional<AnySchedule> schedule_abbreviated(std::string_view word);

}  // namespace tilecast
