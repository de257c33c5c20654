// What one block of a memory-bound kernel takes of a GPU, for its closed form; spread_loss of a
// GEMM's loads too.
#pragma once

#include "model/spec/gpu_spec.h"
#include "model/tile/stream_config.h"

namespace tilecast {

/// Inputs of one block.
Bytes inputs_of_block(const StreamConfig& config, ElementType dtype);

/// Loads in flight of an SM with `resident` CTAs.
Bytes stream_bytes_in_flight(const StreamConfig& config, ElementType dtype, i32 resident);

/// The part of DRAM's rate that is lost since loads in flight on an SM lie on many pages; less than
/// none where they are few.
double spread_loss(const StreamSpec& stream, Bytes in_flight);

/// Shares of DRAM's rate that are lost (model/analytic/stream_closed_form.h says to what).
struct StreamLosses {
  double mix, spread, walk, plain, hint, narrow;

  double total() const { return mix + spread + walk + plain + hint + narrow; }
};

/// `read_share`: of all bytes.
StreamLosses stream_losses(const StreamSpec& stream, const StreamConfig& config, ElementType dtype,
                           double read_share, Bytes in_flight);

/// From a block's loads to its arrival, unloaded.
Seconds stream_block_latency(const StreamSpec& stream, const StreamConfig& config,
                             ElementType dtype);

/// Of a thread's cp.async where these are small: for all of its part of a block.
Cycles small_copies_of_block(const StreamSpec& stream, const StreamConfig& config,
                             ElementType dtype);

}  // namespace tilecast
