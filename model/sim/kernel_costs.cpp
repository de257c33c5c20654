#include "model/sim/kernel_costs.h"

#include <algorithm>

#include "model/base/math.h"
#include "model/spec/pack_time.h"
#include "model/spec/stream_block.h"
#include "model/tile/smem_layout.h"

namespace tilecast {
namespace {

/// Bulk copies of one CTA's slices of a K block: boxes of at most 256 rows of a slab.
i32 copies(const Tiling& t) {
  constexpr i32 kMostRows = 256;
  const i32 slabs = ceil_div(t.block_k, k_slab_elements(t));
  return slabs * (ceil_div(t.block_m / t.cluster_n, kMostRows) +
                  ceil_div(t.block_n / t.cluster_m, kMostRows));
}

/// Of a warpgroup that loads a K block between its wgmmas.
Cycles own_loads(const MachineSpec& machine, const KernelConfig& config) {
  const bool ahead = traits_of(config.schedule).loads_run_ahead;
  return machine.own_copy * copies(config.tiling) + (ahead ? machine.load_ahead : Cycles{});
}

/// The tensor core operation: what one takes, and how many one K block is made of.
struct Operation {
  Cycles interval;
  i32 count, bytes_read;
  Cycles completion, turn;
};

Operation wgmma_operation(const GpuSpec& gpu, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const i32 n = instruction_n(config);
  const i32 rows_read = n + (config.a_source == OperandSource::kShared ? kWgmmaM : 0);
  const i32 bytes_read = rows_read * kWgmmaK * kOperandBytes;
  const Cycles tensor = compute_cycles(Flops{2.0 * kWgmmaM * n * kWgmmaK}, gpu.wgmma->flops_per_sm);
  const Cycles operands =
      transfer_cycles(Bytes{static_cast<double>(bytes_read)}, gpu.wgmma->operand_rate);
  return {std::max({tensor, operands, gpu.machine->wgmma_least}),
          wgmmas_along_m(t) * wgmmas_along_n(config) * (t.block_k / kWgmmaK), bytes_read,
          gpu.machine->wgmma_completion, gpu.machine->turn};
}

/// Of a pair each CTA computes its rows, and reads its rows of A and half of B's.
Operation tcgen05_operation(const GpuSpec& gpu, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const Tcgen05Spec& tcgen05 = *gpu.tcgen05;
  const i32 bytes_read = (t.block_m + t.block_n / cta_group(t)) * kWgmmaK * kOperandBytes;
  const Cycles tensor =
      compute_cycles(Flops{2.0 * t.block_m * t.block_n * kWgmmaK}, tcgen05.flops_per_sm);
  const Cycles operands =
      transfer_cycles(Bytes{static_cast<double>(bytes_read)}, tcgen05.operand_rate);
  return {std::max(tensor, operands) + tcgen05.issue_overhead, t.block_k / kWgmmaK, bytes_read,
          cta_group(t) == 2 ? tcgen05.pair_latency : tcgen05.latency, tcgen05.block_turn};
}

/// What MMAs leave of tensor memory's port: they read the accumulators that they add to.
BytesPerCycle beside_mmas(BytesPerCycle port, const Tiling& t, Cycles interval) {
  constexpr double kLeast = 0.5;  // nobody has seen them take more
  const double accumulators = 4.0 * t.block_m * t.block_n;
  return {std::max(port.value * kLeast, port.value - accumulators / interval.value)};
}

}  // namespace

BytesPerSecond dram_read_rate(const GpuSpec& gpu, const KernelConfig& config, i32 ctas_per_sm) {
  const MachineSpec& machine = *gpu.machine;
  double loss = machine.dram_walk;
  if (gpu.stream) {
    const Tiling& t = config.tiling;
    const double stage = static_cast<double>(t.block_m / t.cluster_n + t.block_n / t.cluster_m) *
                         t.block_k * kOperandBytes;
    loss += spread_loss(*gpu.stream, Bytes{stage * ctas_per_sm * max_of(1, t.stages - 1)});
  }
  return machine.dram_read * (1 - loss);
}

KernelCosts kernel_costs(const GpuSpec& gpu, const KernelConfig& config, i32 ctas, bool cold,
                         i64 n_of_c, Hertz sm_clock, double hilbert_steps) {
  const Tiling& t = config.tiling;
  const auto time = [sm_clock](Cycles cycles) { return sim_time(cycles, sm_clock); };

  const MachineSpec& machine = *gpu.machine;
  const bool tcgen05 = uses_tcgen05(config.schedule);
  const auto [interval, count, bytes_read, completion, turn] =
      tcgen05 ? tcgen05_operation(gpu, config) : wgmma_operation(gpu, config);
  const i32 rows = c_slot_rows(config.schedule);
  const Bytes chunk{static_cast<double>(rows * c_slot_columns(t) * kOperandBytes)};

  KernelCosts costs{};
  costs.mma = time(interval * count);
  costs.mma_issue = time(machine.mma_issue + machine.wgmma_issue * count);
  costs.mma_queue = time(interval * machine.mma_queue);
  costs.completion = time(completion);
  costs.operand_bytes = i64{bytes_read} * count;
  costs.turn = time(turn);
  const bool loads_besides = !tcgen05 && !has_producer_warpgroup(config.schedule);
  costs.wake = time(cluster_size(t) > 1 ? machine.remote_wake
                    : loads_besides     ? machine.own_load
                                        : machine.wake);
  costs.issue = time(loads_besides ? own_loads(machine, config)
                                   : machine.issue + machine.issue_copy * copies(t));
  costs.l2_latency = time(machine.l2_latency);
  costs.first_load = cold ? sim_time(machine.first_load) : SimTime{};
  costs.epilogue = time(machine.epilogue);
  costs.first_epilogue = cold ? time(machine.first_epilogue) : SimTime{};
  costs.chunk = time(machine.chunk * (rows / kWgmmaM));
  costs.pack = time(pack_time(config));
  costs.next_tile = time(machine.next_tile);
  costs.find_tile = time(machine.hilbert_step * hilbert_steps);
  // Warps that share a slot wait for each other.
  costs.slot = time((tcgen05 ? Cycles{} : machine.barrier * 2) + machine.issue_copy);
  costs.store_issue = time(machine.barrier * 2 + machine.issue +
                           machine.issue_copy * (c_chunks(t) * warpgroups_per_tile(t)));
  costs.staging = time(transfer_cycles(chunk, machine.intake));
  costs.chunk_bytes = static_cast<i64>(chunk.value);
  costs.store_latency = time(machine.store_latency);
  costs.plain_stores = n_of_c % 8 != 0;
  // By threads, four bytes each; two where neighbours in a row of C are not aligned to four.
  const double store_width = n_of_c % 2 == 0 ? 1 : 0.5;
  costs.store_read = time(transfer_cycles(
      chunk, costs.plain_stores ? gpu.reduction->sm_store * store_width : machine.store_read));
  costs.kernel =
      sim_time(machine.kernel) + (cluster_size(t) > 1 ? sim_time(machine.cluster) : SimTime{});
  costs.dispatch = sim_time(machine.dispatch);
  const i32 per_gpc = ceil_div(std::min(ctas, gpu.sm.count), machine.gpcs);
  costs.cta_start =
      (cold ? sim_time(machine.cta_start + machine.start_shared * per_gpc)
            : time(machine.cta_restart)) +
      (has_producer_warpgroup(config.schedule) ? sim_time(machine.start_roles) : SimTime{}) +
      (cluster_size(t) > 1 ? sim_time(machine.start_cluster) : SimTime{});
  costs.cta_refill = time(machine.cta_refill + machine.cta_restart);
  if (tcgen05) {
    const BytesPerCycle port = gpu.tcgen05->tensor_memory_read;
    const Bytes fp32 = chunk * 2;
    costs.tensor_memory = time(transfer_cycles(fp32, port));
    costs.tensor_memory_shared = time(transfer_cycles(fp32, beside_mmas(port, t, interval)));
    costs.store_wait = time(machine.barrier);
    costs.answer = time(machine.l2_latency);
  }
  return costs;
}

}  // namespace tilecast
