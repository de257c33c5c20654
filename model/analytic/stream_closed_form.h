// Closed-form time of a memory-bound kernel at one SM clock.
//
// The kernel moves its bytes the slower of two ways:
//   DRAM     reads / (bandwidth x read efficiency) + writes / (bandwidth x write efficiency), more
//   by
//            mix_loss where both come together: 4 r w of it, r and w their shares;
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

/// What the model needs beyond GpuSpec.
struct StreamSpec {
  Seconds load_latency;  // plain load or cp.async, DRAM to register or shared memory, unloaded
  Seconds bulk_latency;  // of the copy engine for a block, issue to barrier flip, unloaded
  Seconds bulk_store;    // store issued to its source read
  double mix_loss;       // of DRAM's rate at equal reads and writes
  double issue_rate;     // warp instructions of an SM per cycle
};

/// CTAs of a configuration on one SM: by its promise to the compiler, threads and shared memory.
i32 resident_stream_ctas(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype);

/// Loads that the resident CTAs of the whole chip keep in flight.
Bytes bytes_in_flight(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype);

struct StreamForm {
  Cycles cycles;
  Limiter limiter;  // kDram, kLatency or kOverhead
  Bytes dram_read, dram_write;
  double dram_share;  // busy fraction of DRAM
};

/// Both exist for `config`: stream_config_fault and stream_problem_fault are empty.
StreamForm stream_closed_form(const GpuSpec& gpu, const StreamSpec& stream,
                              const StreamProblem& problem, const StreamConfig& config,
                              Hertz sm_clock);

}  // namespace tilecast
