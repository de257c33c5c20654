// The micro-benchmarks, in groups that run by themselves. Each measures constants of the GPU and
// reports them to the lab; the kernels (kernels/micro) say how, and what each leaves out.
#pragma once

#include <span>
#include <string_view>

#include "validate/measure/micro/micro_lab.h"

namespace tilecast {

void measure_wgmma(MicroLab& lab);       // interval, completion, drain, shared pipe
void measure_blocks(MicroLab& lab);      // K blocks as the GEMMs issue them, loads behind them
void measure_contention(MicroLab& lab);  // wgmma against fills of shared memory
void measure_l2_sharing(MicroLab& lab);  // SM intake, L2 output, lines shared; multicast
void measure_boxes(MicroLab& lab);       // tensor maps: out-of-bounds rows, hot lines
void measure_tma(MicroLab& lab);         // latency, issue, store, reduce, first use of a map
void measure_dram(MicroLab& lab);        // bandwidth against bytes in flight and read/write mix
void measure_latency(MicroLab& lab);     // plain loads: shared memory, L2 near and far, DRAM
void measure_sync(MicroLab& lab);  // mbarriers, named barriers, cluster barrier, flags, stmatrix
void measure_clusters(MicroLab& lab);  // what CTAs of a cluster move into each other
void measure_launch(MicroLab& lab);    // CTA launch and refill, kernel gaps, cluster placement
void measure_atomics(MicroLab& lab);   // reductions
void measure_clock(MicroLab& lab);     // limiters of the clock; what follows the SM clock
void measure_energy(MicroLab& lab);    // energy per operation: a second of load for each

struct MicroGroup {
  std::string_view name;
  void (*measure)(MicroLab& lab);
  bool by_default;  // energy takes as long as all others together
};

std::span<const MicroGroup> micro_groups();

}  // namespace tilecast
