// The micro-benchmarks, in independent groups. Each measures constants of the GPU file and reports
// them to the lab; the kernels (kernels/micro) document method and exclusions. Every benchmark
// provides a constant of a GPU file (validate/compare/micro_keys_test.cpp).
#pragma once

#include <string_view>

#include "validate/measure/micro/micro_lab.h"

namespace tilecast {

void measure_wgmma(MicroLab& lab);       // interval, completion, issue
void measure_l2_sharing(MicroLab& lab);  // SM fill, L2 output, shared lines
void measure_boxes(MicroLab& lab);       // tensor maps: out-of-bounds rows
void measure_tma(MicroLab& lab);         // latency, issue, store
void measure_dram(MicroLab& lab);        // bandwidth by bytes in flight and read/write mix
void measure_latency(MicroLab& lab);     // plain loads: shared memory, L2, DRAM
void measure_sync(MicroLab& lab);        // mbarriers, named barriers, flags
void measure_launch(MicroLab& lab);      // CTA launch and refill, cluster placement
void measure_partial_sums(MicroLab& lab);
void measure_clock(MicroLab& lab);   // clock limiters
void measure_energy(MicroLab& lab);  // energy per operation: one second per load

struct MicroGroup {
  std::string_view name;
  void (*measure)(MicroLab& lab);
  bool by_default = true;
};

inline constexpr MicroGroup kMicroGroups[] = {
    {"wgmma", measure_wgmma},
    {"l2", measure_l2_sharing},
    {"box", measure_boxes},
    {"tma", measure_tma},
    {"dram", measure_dram},
    {"latency", measure_latency},
    {"sync", measure_sync},
    {"launch", measure_launch},
    {"sums", measure_partial_sums},
    {"clock", measure_clock},
    {"energy", measure_energy, false},  // takes as long as all other groups together
};

}  // namespace tilecast
