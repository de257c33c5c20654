#include "model/spec/gpu_fields.h"

#include <algorithm>
#include <iterator>

namespace tilecast {
namespace {

// Ranges wide enough for any GPU of this decade, narrow enough to catch a slipped unit.
constexpr double kKibi = 1024, kMebi = kKibi * kKibi;
constexpr double kNano = 1e-9, kMicro = 1e-6, kPico = 1e-12;
constexpr double kMega = 1e6, kGiga = 1e9;

using enum Dimension;

}  // namespace

std::vector<Field> fields_of(SmSpec& sm) {
  return {
      {"count", &sm.count, kCount, 1, 1024},
      {"max_threads", &sm.max_threads, kCount, 128, 4096},
      {"max_ctas", &sm.max_ctas, kCount, 1, 64},
      {"registers", &sm.registers, kCount, 1024, 1 << 20},
      {"max_registers_per_thread", &sm.max_registers_per_thread, kCount, 16, 1024},
      {"shared_memory", &sm.shared_memory.value, kBytes, kKibi, 4 * kMebi},
      {"shared_memory_per_cta", &sm.shared_memory_per_cta.value, kBytes, kKibi, 4 * kMebi},
      {"shared_memory_reserved_per_cta", &sm.shared_memory_reserved_per_cta.value, kBytes, 0,
       16 * kKibi},
      {"intake", &sm.intake.value, kBytesPerCycle, 1, 1024},
  };
}

std::vector<Field> fields_of(ClusterSpec& clusters) {
  return {
      {"max_active_of_2", &clusters.max_active_of_2, kCount, 1, 512},
      {"max_active_of_4", &clusters.max_active_of_4, kCount, 1, 256},
      {"max_active_of_8", &clusters.max_active_of_8, kCount, 1, 128},
  };
}

std::vector<Field> fields_of(WgmmaSpec& wgmma) {
  return {
      {"flops_per_sm", &wgmma.flops_per_sm.value, kFlopsPerCycle, 256, 65536},
      {"operand_rate", &wgmma.operand_rate.value, kBytesPerCycle, 16, 1024},
      {"issue_overhead", &wgmma.issue_overhead.value, kCycles, 0, 64},
      {"completion_latency", &wgmma.completion_latency.value, kCycles, 0, 1000},
      {"block_turn", &wgmma.block_turn.value, kCycles, 0, 10000},
      {"issue", &wgmma.issue.value, kCycles, 0, 1000},
      {"run_ahead", &wgmma.run_ahead, kFraction, 0, 1000},
  };
}

std::vector<Field> fields_of(Tcgen05Spec& tcgen05) {
  return {
      {"flops_per_sm", &tcgen05.flops_per_sm.value, kFlopsPerCycle, 256, 65536},
      {"operand_rate", &tcgen05.operand_rate.value, kBytesPerCycle, 16, 1024},
      {"issue_overhead", &tcgen05.issue_overhead.value, kCycles, 0, 64},
      {"latency", &tcgen05.latency.value, kCycles, 0, 1000},
      {"pair_latency", &tcgen05.pair_latency.value, kCycles, 0, 1000},
      {"block_turn", &tcgen05.block_turn.value, kCycles, 0, 10000},
      {"tensor_memory_read", &tcgen05.tensor_memory_read.value, kBytesPerCycle, 64, 65536},
  };
}

std::vector<Field> fields_of(TmaSpec& tma) {
  return {
      {"l2_latency", &tma.l2_latency.value, kTime, 10 * kNano, 10 * kMicro},
      {"dram_latency", &tma.dram_latency.value, kTime, 10 * kNano, 10 * kMicro},
      {"issue", &tma.issue.value, kCycles, 0, 10000},
      {"outside_cost", &tma.outside_cost, kFraction, 0, 100},
      {"multicast_latency", &tma.multicast_latency.value, kCycles, 0, 10000},
      {"fill_rate", &tma.fill_rate.value, kBytesPerCycle, 1, 1024},
      {"stage_turn", &tma.stage_turn.value, kCycles, 0, 10000},
      {"misaligned_by_16", &tma.misaligned_by_16, kFraction, 0.05, 1},
      {"misaligned_by_32", &tma.misaligned_by_32, kFraction, 0.05, 1},
      {"misaligned_by_64", &tma.misaligned_by_64, kFraction, 0.05, 1},
  };
}

std::vector<Field> fields_of(L2Spec& l2) {
  return {
      {"capacity", &l2.capacity.value, kBytes, kMebi, 1024 * kMebi},
      {"usable_fraction", &l2.usable_fraction, kFraction, 0.05, 1},
      {"output", &l2.output.value, kBytesPerSecond, 10 * kGiga, 1'000'000 * kGiga},
      {"merge_groups", &l2.merge_groups, kFraction, 1, 64},
      {"merge_limit", &l2.merge_limit, kFraction, 1, 64},
  };
}

std::vector<Field> fields_of(DramSpec& dram) {
  return {
      {"bandwidth", &dram.bandwidth.value, kBytesPerSecond, 10 * kGiga, 100'000 * kGiga},
      {"read_efficiency", &dram.read_efficiency, kFraction, 0.05, 1},
      {"write_efficiency", &dram.write_efficiency, kFraction, 0.05, 1},
  };
}

std::vector<Field> fields_of(EpilogueSpec& epilogue) {
  return {
      {"fixed", &epilogue.fixed.value, kCycles, 0, 100'000},
      {"chunk", &epilogue.chunk.value, kCycles, 0, 100'000},
      {"rate", &epilogue.rate.value, kBytesPerCycle, 1, 1024},
      {"plain_rate", &epilogue.plain_rate.value, kBytesPerCycle, 0.1, 1024},
      {"store_read", &epilogue.store_read.value, kCycles, 0, 100'000},
      {"store_latency", &epilogue.store_latency.value, kTime, 0, 100 * kMicro},
  };
}

std::vector<Field> fields_of(ReductionSpec& reduction) {
  return {
      {"hop", &reduction.hop.value, kTime, 0, 100 * kMicro},
      {"sm_store", &reduction.sm_store.value, kBytesPerCycle, 1, 1024},
      {"sm_add", &reduction.sm_add.value, kBytesPerCycle, 1, 1024},
      {"sm_load", &reduction.sm_load.value, kBytesPerCycle, 1, 1024},
      {"chip_store", &reduction.chip_store.value, kBytesPerSecond, 10 * kGiga, 1'000'000 * kGiga},
      {"chip_add", &reduction.chip_add.value, kBytesPerSecond, 10 * kGiga, 1'000'000 * kGiga},
  };
}

std::vector<Field> fields_of(LaunchSpec& launch) {
  return {
      {"kernel", &launch.kernel.value, kTime, 0, 100 * kMicro},
      {"cluster", &launch.cluster.value, kTime, 0, 100 * kMicro},
      {"cta_start", &launch.cta_start.value, kCycles, 0, 100'000},
      {"cta_refill", &launch.cta_refill.value, kCycles, 0, 100'000},
  };
}

std::vector<Field> fields_of(StreamSpec& stream) {
  return {
      {"read_rate", &stream.read_rate.value, kBytesPerSecond, 10 * kGiga, 100'000 * kGiga},
      {"write_rate", &stream.write_rate.value, kBytesPerSecond, 10 * kGiga, 100'000 * kGiga},
      {"mix_loss", &stream.mix_loss, kFraction, -0.5, 0.5},
      {"walk_loss", &stream.walk_loss, kFraction, 0, 0.5},
      {"plain_loss", &stream.plain_loss, kFraction, 0, 0.5},
      {"hint_loss", &stream.hint_loss, kFraction, -0.5, 0.5},
      {"spread_loss", &stream.spread_loss, kFraction, 0, 0.1},
      {"narrow_loss", &stream.narrow_loss, kFraction, 0, 0.1},
      {"load_latency", &stream.load_latency.value, kTime, 10 * kNano, 10 * kMicro},
      {"bulk_latency", &stream.bulk_latency.value, kTime, 10 * kNano, 10 * kMicro},
      {"bulk_rate", &stream.bulk_rate.value, kBytesPerSecond, kGiga, 100'000 * kGiga},
      {"bulk_store", &stream.bulk_store.value, kTime, 0, 10 * kMicro},
      {"bulk_read_out", &stream.bulk_read_out.value, kBytesPerCycle, 1, 1024},
      {"turn", &stream.turn.value, kTime, 0, 10 * kMicro},
      {"small_copy", &stream.small_copy.value, kCycles, 0, 100'000},
      {"kernel", &stream.kernel.value, kTime, 0, 100 * kMicro},
      {"cta_refill", &stream.cta_refill.value, kCycles, 0, 100'000},
      {"cta_launch", &stream.cta_launch.value, kTime, 0, kMicro},
      {"ticket", &stream.ticket.value, kTime, 0, kMicro},
      {"interval", &stream.interval, kFraction, 0.005, 1},
  };
}

std::vector<Field> fields_of(MachineSpec& machine) {
  return {
      {"wgmma_least", &machine.wgmma_least.value, kCycles, 0, 1000},
      {"wgmma_completion", &machine.wgmma_completion.value, kCycles, 0, 1000},
      {"turn", &machine.turn.value, kCycles, 0, 10000},
      {"mma_issue", &machine.mma_issue.value, kCycles, 0, 10000},
      {"wgmma_issue", &machine.wgmma_issue.value, kCycles, 0, 1000},
      {"mma_queue", &machine.mma_queue, kFraction, 1, 1000},
      {"own_load", &machine.own_load.value, kCycles, 0, 10000},
      {"own_copy", &machine.own_copy.value, kCycles, 0, 10000},
      {"load_ahead", &machine.load_ahead.value, kCycles, 0, 10000},
      {"wake", &machine.wake.value, kCycles, 0, 10000},
      {"remote_wake", &machine.remote_wake.value, kCycles, 0, 10000},
      {"issue", &machine.issue.value, kCycles, 0, 10000},
      {"issue_copy", &machine.issue_copy.value, kCycles, 0, 10000},
      {"request", &machine.request.value, kCycles, 0, 100},
      {"outside", &machine.outside.value, kCycles, 0, 1000},
      {"outside_receiver", &machine.outside_receiver, kFraction, 0, 10},
      {"intake", &machine.intake.value, kBytesPerCycle, 1, 1024},
      {"l2_latency", &machine.l2_latency.value, kCycles, 0, 10000},
      {"dram_latency", &machine.dram_latency.value, kTime, 0, 10 * kMicro},
      {"first_load", &machine.first_load.value, kTime, 0, 10 * kMicro},
      {"gpcs", &machine.gpcs, kCount, 1, 12},
      {"gpc_groups", &machine.gpc_groups, kCount, 0, 12},
      {"merge_window", &machine.merge_window.value, kCycles, 0, 10000},
      {"load_spread", &machine.load_spread.value, kCycles, 0, 10000},
      {"gpc_clock_spread", &machine.gpc_clock_spread, kFraction, 0, 0.2},
      {"l2_output", &machine.l2_output.value, kBytesPerSecond, 10 * kGiga, 1'000'000 * kGiga},
      {"dram_read", &machine.dram_read.value, kBytesPerSecond, 10 * kGiga, 100'000 * kGiga},
      {"dram_write", &machine.dram_write.value, kBytesPerSecond, 10 * kGiga, 100'000 * kGiga},
      {"dram_walk", &machine.dram_walk, kFraction, 0, 0.5},
      {"epilogue", &machine.epilogue.value, kCycles, 0, 100'000},
      {"first_epilogue", &machine.first_epilogue.value, kCycles, 0, 100'000},
      {"chunk", &machine.chunk.value, kCycles, 0, 100'000},
      {"next_tile", &machine.next_tile.value, kCycles, 0, 10000},
      {"hilbert_step", &machine.hilbert_step.value, kCycles, 0, 10000},
      {"barrier", &machine.barrier.value, kCycles, 0, 10000},
      {"store_latency", &machine.store_latency.value, kCycles, 0, 100'000},
      {"store_read", &machine.store_read.value, kBytesPerCycle, 1, 1024},
      {"kernel", &machine.kernel.value, kTime, 0, 100 * kMicro},
      {"cluster", &machine.cluster.value, kTime, 0, 100 * kMicro},
      {"dispatch", &machine.dispatch.value, kTime, 0, kMicro},
      {"cta_start", &machine.cta_start.value, kTime, 0, 100 * kMicro},
      {"start_shared", &machine.start_shared.value, kTime, 0, 10 * kMicro},
      {"start_roles", &machine.start_roles.value, kTime, 0, 10 * kMicro},
      {"start_cluster", &machine.start_cluster.value, kTime, 0, 10 * kMicro},
      {"cta_restart", &machine.cta_restart.value, kCycles, 0, 100'000},
      {"cta_refill", &machine.cta_refill.value, kCycles, 0, 100'000},
  };
}

std::vector<Field> fields_of(MachineSpec& machine, Architecture architecture) {
  std::vector<Field> fields = fields_of(machine);
  if (architecture == Architecture::kBlackwell) {
    constexpr std::string_view kOfWgmma[] = {"wgmma_least", "wgmma_completion", "turn",
                                             "mma_issue",   "wgmma_issue",      "mma_queue",
                                             "own_load",    "own_copy",         "load_ahead"};
    std::erase_if(fields, [&](const Field& field) {
      return std::ranges::find(kOfWgmma, field.key) != std::end(kOfWgmma);
    });
  }
  return fields;
}

std::vector<Field> fields_of(ClockSpec& clock) {
  return {
      {"max", &clock.max.value, kFrequency, 100 * kMega, 10 * kGiga},
      {"tensor_plateau", &clock.tensor_plateau.value, kFrequency, 100 * kMega, 10 * kGiga},
      {"energy_reference", &clock.energy_reference.value, kFrequency, 100 * kMega, 10 * kGiga},
      {"energy_exponent", &clock.energy_exponent, kFraction, 0, 4},
      {"attack", &clock.attack.value, kTime, 0, 10'000 * kMicro},
      {"release", &clock.release.value, kTime, 0, 10'000 * kMicro},
  };
}

std::vector<Field> fields_of(PowerSpec& power) {
  constexpr double kMostPerFlop = 100 * kPico, kMostPerByte = 10'000 * kPico;
  return {
      {"sustained_limit", &power.sustained_limit.value, kPower, 1, 10'000},
      {"burst_limit", &power.burst_limit.value, kPower, 1, 10'000},
      {"static_power", &power.static_power.value, kPower, 0, 5'000},
      {"per_flop_normal", &power.per_flop_normal.value, kEnergyPerFlop, 0, kMostPerFlop},
      {"per_flop_uniform", &power.per_flop_uniform.value, kEnergyPerFlop, 0, kMostPerFlop},
      {"per_flop_ternary", &power.per_flop_ternary.value, kEnergyPerFlop, 0, kMostPerFlop},
      {"per_flop_zeros", &power.per_flop_zeros.value, kEnergyPerFlop, 0, kMostPerFlop},
      {"bf16_flop", &power.bf16_flop, kFraction, 0.1, 2},
      {"per_shared_memory_byte", &power.per_shared_memory_byte.value, kEnergyPerByte, 0,
       kMostPerByte},
      {"per_l2_byte", &power.per_l2_byte.value, kEnergyPerByte, 0, kMostPerByte},
      {"off_line_l2", &power.off_line_l2, kFraction, 0.5, 5},
      {"per_dram_byte", &power.per_dram_byte.value, kEnergyPerByte, 0, kMostPerByte},
      {"per_sm_cycle", &power.per_sm_cycle.value, kEnergyPerCycle, 0, 1 * kMicro},
  };
}

std::vector<Field> fields_of(CeilingsSpec& ceilings) {
  return {
      {"tensor_flops_per_sm", &ceilings.tensor_flops_per_sm.value, kFlopsPerCycle, 256, 65536},
      {"max_clock", &ceilings.max_clock.value, kFrequency, 100 * kMega, 10 * kGiga},
      {"power_limit", &ceilings.power_limit.value, kPower, 1, 10'000},
  };
}

}  // namespace tilecast
