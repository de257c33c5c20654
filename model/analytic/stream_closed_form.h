// Closed-form time of a memory-bound kernel at one SM clock.
//
// The kernel moves its bytes the slower of two ways:
//   DRAM     reads / read rate + writes / write rate, more by mix_loss where both come together
//            (4 r w of it, r and w their shares), and by walk_loss where CTAs do not take the next
//            block as they come free but keep to walks of their own: they drift apart, and DRAM
//            opens more pages;
//   flight   by Little's law: what the resident CTAs have in flight over the latency of a load.
//            A CTA takes one turn per block, `stages` deep:
//              one buffer, plain loads     latency + work
//              n buffers, cp.async         the longer of work and latency / (n - 1)
//              n stages, copy engine       the longer of work and (latency + work + store) / (n -
//              1),
//                                          one stage being on its way out
//            work is the issue of its instructions, shared with the other CTAs of the SM.
// Both come near each other as third powers: a loaded memory answers later. Orders with a CTA per
// block add that CTA's refill to each turn. Around it stand the launch, the first load and the last
// store. CTAs in waves: a last wave that is not full has fewer bytes in flight.
//
// Leaves out: rows so short that DRAM pages are opened for little (view=matrix with narrow blocks);
// the layout in shared memory (no kernel of the family has bank conflicts); L2 hits; refresh.
// Checked by: stream_closed_form_test.cpp (limits and hand-worked cases).
#pragma once

#include "model/analytic/limiter.h"
#include "model/spec/gpu_spec.h"
#include "model/tile/stream_config.h"

namespace tilecast {

/// Loads that the resident CTAs of the whole chip keep in flight.
Bytes bytes_in_flight(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype);

struct StreamForm {
  Cycles cycles;
  Limiter limiter;  // kDram, kLatency or kOverhead
  Bytes dram_read, dram_write;
  Bytes shared_memory;  // read and written, all SMs
  Shares shares;
};

/// `config` is legal (model/predict/stream_candidates.h), and the GPU has a stream section.
StreamForm stream_closed_form(const GpuSpec& gpu, const StreamProblem& problem,
                              const StreamConfig& config, Hertz sm_clock);

}  // namespace tilecast
