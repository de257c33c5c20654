#include "validate/measure/micro/micro_suite.h"

namespace tilecast {

std::span<const MicroGroup> micro_groups() {
  static constexpr MicroGroup kGroups[] = {
      {"wgmma", measure_wgmma, true},
      {"block", measure_blocks, true},
      {"contention", measure_contention, true},
      {"l2", measure_l2_sharing, true},
      {"box", measure_boxes, true},
      {"tma", measure_tma, true},
      {"dram", measure_dram, true},
      {"latency", measure_latency, true},
      {"sync", measure_sync, true},
      {"cluster", measure_clusters, true},
      {"launch", measure_launch, true},
      {"atomics", measure_atomics, true},
      {"clock", measure_clock, true},
      {"energy", measure_energy, false},
  };
  return kGroups;
}

}  // namespace tilecast
