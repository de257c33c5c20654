// Computes the time of a memory-bound kernel analytically at one SM clock.
//
// The time is launch, the first load, and then the longer of two terms, joined by a third-power
// norm because latency rises with load:
//   DRAM     (reads / read rate + writes / write rate) / (1 - losses). Losses are fractions of
//            the rate and add up: for CTAs on independent walks, which drift apart so that DRAM
//            opens more pages; for plain loads, which hold their lines in L1; for cache hints; for
//            many bytes in flight, which span more pages (logarithm, from 32 KiB per SM on); for
//            requests of few bytes of a row (inverse of the bytes).
//   flight   a CTA's blocks one after the other. From one block to the next:
//              one buffer              latency + work
//              n buffers or stages     the longer of work and (latency + work) / (n - 1)
//              a CTA per block         latency + work + refill of its slot; all together no
//                                      faster than the chip starts CTAs
//            and blocks drawn by tickets no faster than one counter gives them.
//            Work is the time of a CTA between the data's arrival and the next loads: a constant
//            for its threads, plus their cp.async if the copies are small; for the copy engine,
//            the store of a block until its source is released.
//
// Not modelled: edges of ragged matrices, which CTAs of a strided walk may meet repeatedly; SM fill
// bandwidth if few SMs work; the layout in shared memory (no kernel of the family has bank
// conflicts); L2 hits; refresh. Checked by: stream_closed_form_test.cpp (limits and hand-worked
// cases), committed H200 rows (validate/compare/stream_error_test.cpp).
#pragma once

#include "model/clock/phase_clock.h"
#include "model/form/hard_bounds.h"
#include "model/spec/gpu_spec.h"
#include "model/spec/limiter.h"
#include "model/stream/stream_config.h"

namespace tilecast {

/// Losses as fractions of DRAM's rate.
struct StreamLosses {
  double spread;             // negative if few bytes are in flight
  double walk, plain, hint;  // losses by accesses out of DRAM's order
  double narrow;

  double total() const { return spread + walk + plain + hint + narrow; }
};

/// Parts of the kernel's time; `dram` and `flight` overlap.
struct StreamParts {
  Seconds kernel, first_load;
  Seconds dram, flight;
  StreamLosses losses;  // included in `dram`
  Bytes in_flight;      // loads only, per SM
};

struct StreamForm {
  Cycles cycles;
  Limiter limiter;  // kDram, kLatency or kLaunch
  Bytes dram_read, dram_write;
  Bytes shared_memory;  // bytes read and written, all SMs
  Shares shares;
  StreamParts parts;
};

/// Returns the activity of the kernel for the clock model.
KernelActivity kernel_activity(const StreamForm& form);

/// Computes times that no kernel can beat.
HardBounds hard_bounds(const GpuSpec& gpu, const StreamProblem& problem);

/// Time to move the compulsory bytes as a fraction of `time`: at the datasheet's bandwidth, and at
/// the measured read and write rates in equal parts.
struct RateShares {
  double of_datasheet, of_measured;
};
RateShares rate_shares(const GpuSpec& gpu, const StreamProblem& problem, Seconds time);

/// `config` must be legal (model/stream/stream_menu.h), and the GPU must have a stream section.
StreamForm form_at(const GpuSpec& gpu, const StreamProblem& problem, const StreamConfig& config,
                   Hertz sm_clock);

}  // namespace tilecast
