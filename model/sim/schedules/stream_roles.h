// The processes of each memory-bound schedule. One file for each, to be laid beside the kernel of
// the same name in kernels/stream.
#pragma once

#include "model/sim/stream_cta.h"

namespace tilecast {

Process elementwise_add(StreamCta& cta);          // and memcpy
Process elementwise_add_cpasync(StreamCta& cta);  // and memcpy_cpasync
Process elementwise_add_pipelined(StreamCta& cta);
Process memcpy_tma(StreamCta& cta);
Process elementwise_add_tma(StreamCta& cta);

/// The stages of elementwise_add_tma_warp_specialized: full -> computed -> empty.
struct StreamRing {
  std::vector<PhaseBarrier> full, computed, empty;

  explicit StreamRing(StreamMachine& machine);
};
Process load_blocks(StreamCta& cta, StreamRing& ring);
Process store_blocks(StreamCta& cta, StreamRing& ring);
Process add_blocks(StreamCta& cta, StreamRing& ring);

}  // namespace tilecast
