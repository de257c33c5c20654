#include "model/sim/kernel_costs.h"

#include <algorithm>

#include "model/tile/smem_layout.h"

namespace tilecast {

KernelCosts kernel_costs(const GpuSpec& gpu, const KernelConfig& config, Hertz sm_clock) {
  const Tiling& t = config.tiling;
  const auto time = [sm_clock](Cycles cycles) { return sim_time(cycles, sm_clock); };

  const i32 n = instruction_n(config);
  const i32 wgmmas = wgmmas_along_m(t) * wgmmas_along_n(config) * (t.block_k / kWgmmaK);
  const i32 rows_read = n + (config.a_source == OperandSource::kShared ? kWgmmaM : 0);
  const i32 bytes_read = rows_read * kWgmmaK * kOperandBytes;
  const Cycles tensor = compute_cycles(Flops{2.0 * kWgmmaM * n * kWgmmaK}, gpu.wgmma->flops_per_sm);
  const Cycles operands =
      transfer_cycles(Bytes{static_cast<double>(bytes_read)}, gpu.wgmma->operand_rate);
  const Cycles interval = std::max(tensor, operands) + gpu.wgmma->issue_overhead;
  const Bytes chunk{static_cast<double>(kWgmmaM * c_slot_columns(t) * kOperandBytes)};

  KernelCosts costs{};
  costs.mma = time(interval * wgmmas);
  costs.completion = time(gpu.wgmma->completion_latency);
  costs.operand_bytes = i64{bytes_read} * wgmmas;
  costs.turn = time(gpu.wgmma->block_turn);
  costs.issue = time(gpu.tma->issue);
  costs.multicast = cluster_size(t) > 1 ? time(gpu.tma->multicast_latency) : SimTime{};
  costs.epilogue = time(gpu.epilogue->fixed);
  costs.chunk = time(gpu.epilogue->chunk);
  costs.staging = time(transfer_cycles(chunk, gpu.epilogue->rate));
  costs.store_read = time(gpu.epilogue->store_read);
  costs.store_done = sim_time(gpu.epilogue->store_latency);
  costs.kernel = sim_time(gpu.launch->kernel) +
                 (cluster_size(t) > 1 ? sim_time(gpu.launch->cluster) : SimTime{});
  costs.cta_start = time(gpu.launch->cta_start);
  costs.cta_refill = time(gpu.launch->cta_refill);
  return costs;
}

}  // namespace tilecast
