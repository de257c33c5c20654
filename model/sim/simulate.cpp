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

Simulated simulate_gemm(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                        Residency residency, Hertz sm_clock, Observers observers) {
  if (splits_k(config.schedule)) {
    throw ConfigError(
        fmt::format("{}: the simulator has no processes that split K", to_text(config.schedule)));
  }
  Machine machine(gpu, problem, config, residency, sm_clock, observers.activity, observers.tiles);
  run_grid(machine);

  const SimTime end = machine.last_store + machine.costs.front().kernel;
  SimTime tensor;
  for (const Sm& sm : machine.sms) {
    tensor += sm.tensor.busy();
  }
  const MemoryTraffic& traffic = machine.memory.traffic();
  return {.cycles = cycles_of(seconds_of(end), sm_clock),
          .time = seconds_of(end),
          .l2_to_sm = bytes(traffic.l2_to_sm),
          .l2_output = bytes(traffic.l2_output),
          .l2_far = bytes(traffic.far),
          .sm_intake = bytes(machine.sm_intake),
          .dram_read = bytes(traffic.dram_read),
          .dram_write = bytes(traffic.dram_write),
          .operand_reads = bytes(machine.k_blocks_multiplied * machine.costs.front().operand_bytes),
          .tensor_share = share(tensor, end) / static_cast<double>(machine.sms.size()),
          .l2_share = share(machine.memory.l2_busy(), end),
          .dram_share = share(machine.memory.dram_busy(), end),
          .tiles = machine.tiles_stored,
          .k_blocks = machine.k_blocks_multiplied,
          .events = machine.engine.events()};
}

}  // namespace tilecast
