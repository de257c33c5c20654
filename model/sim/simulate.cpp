#include "model/sim/simulate.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/sim/grid.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {
namespace {

Bytes bytes(i64 count) { return {static_cast<double>(count)}; }

double share(SimTime busy, SimTime all) {
  return static_cast<double>(busy.ps) / static_cast<double>(all.ps);
}

}  // namespace

bool can_simulate(const GpuSpec& gpu, const KernelConfig& config) {
  return !uses_tcgen05(config.schedule) && gpu.wgmma && gpu.l2 && gpu.machine && gpu.reduction;
}

Simulated simulate_gemm(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                        Residency residency, Hertz sm_clock, Observers observers, Waves waves) {
  if (!can_simulate(gpu, config)) {
    throw ConfigError(fmt::format(
        "{}: the simulator has no processes for {}, or the file lacks one of the sections wgmma, "
        "l2, machine and reduction",
        gpu.name, to_text(config.schedule)));
  }
  Machine machine(gpu, problem, config, residency, sm_clock, waves, observers.activity,
                  observers.tiles);
  run_grid(machine);

  const SkippedWaves skipped = machine.skipped;
  const Progress more = of_skipped(machine.marks, skipped);
  const SkippedTiles exactly = skipped.count == 0
                                   ? SkippedTiles{}
                                   : skipped_tiles(skipped, machine.whole, machine.scheduler,
                                                   config.tiling, machine.a, machine.b);
  const i64 parts =
      exactly.tiles * cluster_size(config.tiling) * warpgroups_per_tile(config.tiling);

  const SimTime stored = std::max(machine.last_store, machine.memory.dram_free_at());
  const SimTime end = stored + machine.costs.front().kernel + more.at;
  const i64 k_blocks = machine.k_blocks_multiplied + parts * machine.k_blocks;
  const Progress whole = machine.progress();
  const MemoryTraffic& traffic = whole.traffic;
  return {.cycles = cycles_of(seconds_of(end), sm_clock),
          .time = seconds_of(end),
          .l2_to_sm = bytes(traffic.l2_to_sm + exactly.l2_to_sm),
          .l2_output = bytes(traffic.l2_output + more.traffic.l2_output),
          .l2_far = bytes(traffic.far + more.traffic.far),
          .sm_intake = bytes(machine.sm_intake + exactly.sm_intake +
                             (machine.sums ? machine.sums->read() : 0)),
          .sums_written = bytes(machine.sums ? machine.sums->written() : 0),
          .sums_read = bytes(machine.sums ? machine.sums->read() : 0),
          .dram_read = bytes(traffic.dram_read + more.traffic.dram_read),
          .dram_write = bytes(traffic.dram_write + more.traffic.dram_write),
          .operand_reads = bytes(k_blocks * machine.costs.front().operand_bytes),
          .tensor_share = share(whole.tensor_busy + more.tensor_busy, end) /
                          static_cast<double>(machine.sms.size()),
          .l2_share = share(whole.l2_busy + more.l2_busy, end),
          .dram_share = share(whole.dram_busy + more.dram_busy, end),
          .tiles = machine.tiles_stored + parts,
          .k_blocks = k_blocks,
          .events = machine.engine.events(),
          .waves_left_out = skipped.count};
}

}  // namespace tilecast
