// What the steps of a kernel take on one GPU at one SM clock, in simulated time: every constant of
// the GPU file that the processes use, converted once.
// Checked by: kernel_costs_test.cpp.
#pragma once

#include "model/sim/sim_time.h"
#include "model/spec/gpu_spec.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

struct KernelCosts {
  // Tensor pipe, for one warpgroup's wgmmas of one K block. Each takes the longer of its FLOPs and
  // of reading its operands from shared memory, and its issue.
  SimTime mma;
  SimTime completion;  // beyond that, when waited for
  i64 operand_bytes;   // read from shared memory
  SimTime turn;        // a warpgroup's own instructions around them

  SimTime issue;      // of the loads of one K block
  SimTime multicast;  // added to a load's latency

  // Epilogue of one warpgroup.
  SimTime epilogue;    // set-up of a tile
  SimTime chunk;       // barriers and store issue of a chunk
  SimTime staging;     // a chunk on its way to shared memory, SM alone
  SimTime store_read;  // store issued to its slot read
  SimTime store_done;  // last store issued to kernel end

  SimTime kernel;      // start and end of the kernel
  SimTime cta_start;   // to its first load
  SimTime cta_refill;  // one CTA ends, the next one's first load
};

KernelCosts kernel_costs(const GpuSpec& gpu, const KernelConfig& config, Hertz sm_clock);

}  // namespace tilecast
