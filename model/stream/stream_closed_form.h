// Closed-form time of a memory-bound kernel at one SM clock.
//
// The kernel is its launch, the first load, and then the longer of two, which come near each other
// as third powers, since a loaded memory answers later:
//   DRAM     (reads / read rate + writes / write rate) / (1 - losses). Losses add up, each a share
//            of the rate: the same for CTAs on walks of their own, which drift apart, so that DRAM
//            opens more pages, as for plain loads, which hold their lines in L1, and loads under a
//            hint; many bytes in flight, which also lie on more pages (logarithm, from 32 KiB an SM
//            on); requests of few bytes of a row (inverse of the bytes).
//   flight   a CTA's blocks one after the other. From one block to the next:
//              one buffer              latency + work
//              n buffers or stages     the longer of work and (latency + work) / (n - 1)
//              a CTA per block         latency + work + refill of its slot; all of them together
//                                      no faster than the chip starts CTAs
//            and blocks drawn by tickets no faster than one counter gives them.
//            Work is what a CTA does between the data's arrival and the next loads: a fixed turn of
//            its threads, and their cp.async where these are small; of the copy engine, the store
//            of a block up to the source's release.
//
// Leaves out: edges of ragged matrices, which CTAs of a strided walk may meet again and again; an
// SM's own intake where few SMs work; the layout in shared memory (no kernel of the family has
// bank conflicts); L2 hits; refresh.
// Checked by: stream_closed_form_test.cpp (limits and hand-worked cases), committed H200 rows
// (validate/compare/stream_error_test.cpp).
#pragma once

#include "model/clock/phase_clock.h"
#include "model/form/hard_bounds.h"
#include "model/spec/gpu_spec.h"
#include "model/spec/limiter.h"
#include "model/stream/stream_config.h"

namespace tilecast {

/// Shares of DRAM's rate that are lost.
struct StreamLosses {
  double spread;             // less than none where little is in flight
  double walk, plain, hint;  // out of DRAM's order
  double narrow;

  double total() const { return spread + walk + plain + hint + narrow; }
};

/// What the kernel's time is made of; `dram` and `flight` overlap.
struct StreamParts {
  Seconds kernel, first_load;
  Seconds dram, flight;
  StreamLosses losses;  // in `dram`
  Bytes in_flight;      // loads of an SM
};

struct StreamForm {
  Cycles cycles;
  Limiter limiter;  // kDram, kLatency or kLaunch
  Bytes dram_read, dram_write;
  Bytes shared_memory;  // read and written, all SMs
  Shares shares;
  StreamParts parts;
};

/// What the clock model counts of it.
KernelActivity kernel_activity(const StreamForm& form);

/// What no kernel beats.
HardBounds hard_bounds(const GpuSpec& gpu, const StreamProblem& problem);

/// The bytes that must move, over `time`, of what memory could give: of the datasheet's rate, and
/// of the measured rates of reads and writes alone, as many of each.
struct RateShares {
  double of_datasheet, of_measured;
};
RateShares rate_shares(const GpuSpec& gpu, const StreamProblem& problem, Seconds time);

/// `config` is legal (model/stream/stream_menu.h), and the GPU has a stream section.
StreamForm form_at(const GpuSpec& gpu, const StreamProblem& problem, const StreamConfig& config,
                   Hertz sm_clock);

}  // namespace tilecast
