// What one block of a memory-bound kernel takes of a GPU, for its closed form.
#pragma once

#include "model/spec/gpu_spec.h"
#include "model/stream/stream_config.h"

namespace tilecast {

/// Inputs of one block.
Bytes inputs_of_block(const StreamConfig& config, ElementType dtype);

/// Loads in flight of an SM with `resident` CTAs.
Bytes stream_bytes_in_flight(const StreamConfig& config, ElementType dtype, i32 resident);

/// Shares of DRAM's rate that are lost (model/stream/stream_closed_form.h says to what).
struct StreamLosses {
  double spread;             // less than none where little is in flight
  double walk, plain, hint;  // out of DRAM's order
  double narrow;

  double total() const { return spread + walk + plain + hint + narrow; }
};

StreamLosses stream_losses(const StreamSpec& stream, const StreamConfig& config, ElementType dtype,
                           Bytes in_flight);

/// From a block's loads to its arrival, unloaded.
Seconds stream_block_latency(const StreamSpec& stream, const StreamConfig& config,
                             ElementType dtype);

/// Of a thread's cp.async where these are small: for all of its part of a block.
Cycles small_copies_of_block(const StreamSpec& stream, const StreamConfig& config,
                             ElementType dtype);

}  // namespace tilecast
