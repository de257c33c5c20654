// Formats a configuration in few characters, as tables print it, and parses it:
//   ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8
//   skh 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8 k8+a
//   eat 64x128 s3 w8 o1 sw mx strided hn
// The schedule's abbreviation (with 1: one CTA per tile, t: takeover, if its grid is open); tile; s
// stages; w warpgroups; c cluster, for tcgen05 the CTAs that share an instruction; o CTAs per SM; i
// K blocks in flight; e staging slots of C, d for a deferred store; the tile order: m, n swizzle
// groups along M, N, h Hilbert, suffix k chunked; k number of splits, or the minimum number of K
// blocks of one and +, with t, a, s for the reduction; small_mma: ss or rs for the source of A, in
// the instruction's columns; a accumulators; r the producer's registers if not
// default_producer_registers. Memory-bound kernels: block; s; w warps; v bytes of a vector; o; pl,
// sw the layout; mx, fl the view; the block order; h and n, e, l, s the cache hint. Attention: rows
// and keys; s; o; ct, re the grid; st, lf, dy the order; k splits; pk packed heads. Checked by:
// short_config_text_test.cpp (every candidate), cli/committed_data_test.cpp (the pages).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/ops/any_op.h"

namespace tilecast {

std::string short_text(const AnyConfig& config);

/// Inverse of short_text; std::nullopt if `text` is incomplete. `text` begins with an abbreviation,
/// and words are separated by one space.
std::optional<AnyConfig> parse_short_config(std::string_view text);

/// Returns CUTLASS's name of the schedule: "cooperative", "pingpong", "stream-K"; else tilecast's
/// name.
std::string field_name(const AnyConfig& config);

/// Returns the name by which most people ask for a schedule: "cooperative", "pingpong"; else
/// tilecast's name.
std::string_view common_name(const AnySchedule& schedule);

/// Returns the abbreviation in the schedule's traits.
std::string_view abbreviation_of(const AnySchedule& schedule);
/// Returns the schedule of the first word of a short form, with or without the suffix of its grid.
std::optional<AnySchedule> schedule_abbreviated(std::string_view word);

}  // namespace tilecast
