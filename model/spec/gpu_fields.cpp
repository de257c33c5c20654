#include "model/spec/gpu_fields.h"

#include <algorithm>
#include <iterator>

#include "model/base/error.h"

namespace tilecast {
namespace {

using enum Dimension;
using enum Limiter;

// Ranges are wide enough for any GPU of this decade and narrow enough to detect a wrong unit.
struct Range {
  double least, most;
};
constexpr double kKibi = 1024, kMebi = kKibi * kKibi, kGibi = kKibi * kMebi;
constexpr double kNano = 1e-9, kMicro = 1e-6, kPico = 1e-12;
constexpr double kMega = 1e6, kGiga = 1e9;
constexpr Range kInstruction{0, 1000}, kTurns{0, 10'000}, kTileCycles{0, 100'000};
constexpr Range kLatencies{10 * kNano, 10 * kMicro}, kShortTimes{0, 10 * kMicro};
constexpr Range kLaunches{0, 100 * kMicro}, kGaps{0, kMicro};
constexpr Range kPort{1, 1024}, kTensorRates{256, 65536};
constexpr Range kDramRates{10 * kGiga, 100'000 * kGiga}, kL2Rates{10 * kGiga, 1'000'000 * kGiga};
constexpr Range kClocks{100 * kMega, 10 * kGiga};
constexpr Range kShares{0.05, 1}, kLosses{0, 0.5};
constexpr Range kFlopEnergies{0, 100 * kPico}, kByteEnergies{0, 10'000 * kPico};

// Optional properties of a row, in any order: the resources that it limits, and any of the structs
// below.
struct With {  // scaling key for a derived GPU
  std::string_view constant;
};
struct Fit {  // prior width for calibration
  double width;
};
struct Micro {  // micro-benchmark that measures it
  std::string_view kernel;
};
constexpr struct HopperAlone {
} kHopperAlone;
constexpr struct OfThisCard {
} kOfThisCard;

void say(Field& field, Limiter part) { (field.part ? field.other_part : field.part) = part; }
void say(Field& field, With with) { field.proportional_to = with.constant; }
void say(Field& field, Fit fit) { field.prior_width = fit.width; }
void say(Field& field, Micro micro) { field.micro_kernel = micro.kernel; }
void say(Field& field, HopperAlone) { field.hopper_alone = true; }
void say(Field& field, OfThisCard) { field.of_this_card = true; }

template <class Target, class... Attributes>
Field row(std::string_view key, Target& target, Dimension unit, Range range,
          const Attributes&... attributes) {
  Field field{
      .key = key, .target = &target, .dimension = unit, .least = range.least, .most = range.most};
  (say(field, attributes), ...);
  return field;
}

// The member's type determines the unit; for energies the caller adds the denominator.
template <class Tag>
constexpr Dimension kUnitOf{};
template <>
constexpr Dimension kUnitOf<BytesTag> = kBytes;
template <>
constexpr Dimension kUnitOf<CyclesTag> = kCycles;
template <>
constexpr Dimension kUnitOf<SecondsTag> = kTime;
template <>
constexpr Dimension kUnitOf<HertzTag> = kFrequency;
template <>
constexpr Dimension kUnitOf<BytesPerSecondTag> = kBytesPerSecond;
template <>
constexpr Dimension kUnitOf<BytesPerCycleTag> = kBytesPerCycle;
template <>
constexpr Dimension kUnitOf<FlopsPerCycleTag> = kFlopsPerCycle;
template <>
constexpr Dimension kUnitOf<WattsTag> = kPower;

template <class... Attributes>
Field field(std::string_view key, i32& count, Range range, const Attributes&... attributes) {
  return row(key, count, kCount, range, attributes...);
}
template <class... Attributes>
Field field(std::string_view key, double& fraction, Range range, const Attributes&... attributes) {
  return row(key, fraction, kFraction, range, attributes...);
}
template <class Tag, class... Attributes>
Field field(std::string_view key, Quantity<Tag>& quantity, Range range,
            const Attributes&... attributes) {
  static_assert(kUnitOf<Tag> != Dimension{});
  return row(key, quantity.value, kUnitOf<Tag>, range, attributes...);
}
template <class... Attributes>
Field energy(std::string_view key, Joules& energy, Dimension of, Range range,
             const Attributes&... attributes) {
  return row(key, energy.value, of, range, attributes...);
}

std::vector<Field> rows(SmSpec& s) {
  return {
      field("count", s.count, kPort),
      field("max_threads", s.max_threads, {128, 4096}),
      field("max_ctas", s.max_ctas, {1, 64}),
      field("registers", s.registers, {1024, 1 << 20}),
      field("max_registers_per_thread", s.max_registers_per_thread, {16, 1024}),
      field("shared_memory", s.shared_memory, {kKibi, 4 * kMebi}),
      field("shared_memory_per_cta", s.shared_memory_per_cta, {kKibi, 4 * kMebi}),
      field("shared_memory_reserved_per_cta", s.shared_memory_reserved_per_cta, {0, 16 * kKibi}),
  };
}

std::vector<Field> rows(ClusterSpec& s) {
  return {
      field("max_active_of_2", s.max_active_of_2, {1, 512}, With{"sm.count"}, Micro{"cta_launch"}),
      field("max_active_of_4", s.max_active_of_4, {1, 256}, With{"sm.count"}, Micro{"cta_launch"}),
      field("max_active_of_8", s.max_active_of_8, {1, 128}, With{"sm.count"}, Micro{"cta_launch"}),
  };
}

std::vector<Field> rows(WgmmaSpec& s) {
  return {
      field("flops_per_sm", s.flops_per_sm, kTensorRates, kTensor),
      field("operand_rate", s.operand_rate, {16, 1024}, kSharedMemory),
  };
}

std::vector<Field> rows(Tcgen05Spec& s) {
  return {
      field("flops_per_sm", s.flops_per_sm, kTensorRates, kTensor),
      field("operand_rate", s.operand_rate, {16, 1024}, kSharedMemory),
      field("issue_overhead", s.issue_overhead, {0, 64}, kTensor),
      field("latency", s.latency, kInstruction, kLatency),
      field("pair_latency", s.pair_latency, kInstruction, kLatency),
      field("block_turn", s.block_turn, kTurns, kInstructions),
      field("tensor_memory_read", s.tensor_memory_read, {64, 65536}, kEpilogue),
  };
}

std::vector<Field> rows(MmaSyncSpec& s) {
  return {
      field("flops_per_sm", s.flops_per_sm, kTensorRates, kTensor),
      field("operand_rate", s.operand_rate, {16, 1024}, kSharedMemory),
      field("latency", s.latency, kInstruction, kLatency),
      field("operand_latency", s.operand_latency, kInstruction, kLatency),
      field("copy_issue", s.copy_issue, kInstruction, kInstructions),
  };
}

std::vector<Field> rows(L2Spec& s) {
  return {
      field("capacity", s.capacity, {kMebi, 1024 * kMebi}),
      field("usable_fraction", s.usable_fraction, kShares),
  };
}

std::vector<Field> rows(DramSpec& s) {
  return {
      field("bandwidth", s.bandwidth, kDramRates, kDram),
      field("capacity", s.capacity, {kGibi, 4096 * kGibi}),
      field("read_rate", s.read_rate, kDramRates, kDram, With{"dram.bandwidth"}, Micro{"tma_ring"}),
      field("write_rate", s.write_rate, kDramRates, kDram, With{"dram.bandwidth"},
            Micro{"dram_mix"}),
  };
}

std::vector<Field> rows(ReductionSpec& s) {
  return {
      field("hop", s.hop, kLaunches, kReduction, Micro{"flag_hop"}),
      field("sm_store", s.sm_store, kPort, kReduction, Micro{"partial_sums"}),
      field("sm_add", s.sm_add, kPort, kReduction, Micro{"partial_sums"}),
      field("sm_load", s.sm_load, kPort, kReduction, Micro{"partial_sums"}),
      field("chip_store", s.chip_store, kL2Rates, kReduction, kL2, With{"machine.l2_output"},
            Micro{"partial_sums"}),
      field("chip_add", s.chip_add, kL2Rates, kReduction, With{"machine.l2_output"},
            Micro{"partial_sums"}),
  };
}

std::vector<Field> rows(StreamSpec& s) {
  constexpr Fit kOfStreams{1};  // a weak prior: one standard deviation is a factor of e
  return {
      field("disorder_loss", s.disorder_loss, kLosses, kOfStreams),
      field("spread_loss", s.spread_loss, {0, 0.1}, kOfStreams),
      field("narrow_loss", s.narrow_loss, {0, 0.1}, kOfStreams),
      field("load_latency", s.load_latency, kLatencies, kLatency, Micro{"load_latency"}),
      field("bulk_latency", s.bulk_latency, kLatencies, kLatency, Micro{"tma_latency"}),
      field("bulk_rate", s.bulk_rate, {kGiga, 100'000 * kGiga}, kLatency, Micro{"tma_latency"}),
      field("bulk_store", s.bulk_store, kShortTimes, kEpilogue, Micro{"tma_store"}),
      field("bulk_read_out", s.bulk_read_out, kPort, kEpilogue, Micro{"tma_store"}),
      field("turn", s.turn, kShortTimes, kInstructions, kOfStreams),
      field("small_copy", s.small_copy, kTileCycles, kInstructions, kOfStreams),
      field("kernel", s.kernel, kLaunches, kLaunch),
      field("cta_refill", s.cta_refill, kTileCycles, kLaunch, Micro{"cta_launch"}),
      field("cta_launch", s.cta_launch, kGaps, kLaunch, Micro{"cta_launch"}),
      field("ticket", s.ticket, kGaps, kL2, Micro{"memcpy_tma"}),
      field("interval", s.interval, {0.005, 1}, kOfThisCard),
  };
}

std::vector<Field> rows(AttentionSpec& s) {
  constexpr Fit kOfAttention{0.5};
  constexpr Range kFactors{0.05, 10};
  return {
      field("in_step", s.in_step, {0, 1}, kOfAttention),
      field("block", s.block, kTurns, kInstructions, kOfAttention),
      field("tile", s.tile, kTileCycles, kInstructions, kOfAttention),
      field("slots", s.slots, kFactors, kOfAttention),
      field("alone", s.alone, kFactors, kOfAttention),
      field("shown", s.shown, kFactors, kOfAttention),
      field("crowding", s.crowding, kLosses, kDram, kOfAttention),
      field("combine", s.combine, kTileCycles, kReduction, kOfAttention),
      field("combine_rows", s.combine_rows, kTileCycles, kReduction, kOfAttention),
      field("combine_loads", s.combine_loads, kTileCycles, kReduction, kOfAttention),
      field("cluster_rows", s.cluster_rows, kTileCycles, kReduction, kOfAttention),
  };
}

std::vector<Field> rows(MachineSpec& s) {
  return {
      field("wgmma_least", s.wgmma_least, kInstruction, kHopperAlone, kTensor, Micro{"wgmma_rate"}),
      field("wgmma_completion", s.wgmma_completion, kInstruction, kHopperAlone, kLatency,
            Micro{"wgmma_rate"}),
      field("turn", s.turn, kTurns, kHopperAlone, kInstructions),
      field("mma_issue", s.mma_issue, kTurns, kHopperAlone, kInstructions),
      field("wgmma_issue", s.wgmma_issue, kInstruction, kHopperAlone, kInstructions,
            Micro{"wgmma_issue"}),
      field("mma_queue", s.mma_queue, {1, 1000}, kHopperAlone, Micro{"wgmma_issue"}),
      field("own_load", s.own_load, kTurns, kHopperAlone, kInstructions),
      field("own_copy", s.own_copy, kTurns, kHopperAlone, kInstructions),
      field("load_ahead", s.load_ahead, kTurns, kHopperAlone, kInstructions),
      field("wake", s.wake, kTurns, kInstructions, Micro{"mbarrier_wake"}),
      field("remote_wake", s.remote_wake, kTurns, kInstructions, Micro{"mbarrier_remote"}),
      field("issue", s.issue, kTurns, kInstructions, Micro{"tma_issue"}),
      field("issue_copy", s.issue_copy, kTurns, kInstructions, Micro{"tma_issue"}),
      field("request", s.request, {0, 100}, kSmIntake, Micro{"tma_latency"}),
      field("outside", s.outside, kInstruction, kL2, Micro{"tma_box"}),
      field("intake", s.intake, kPort, kSmIntake, Micro{"tma_latency"}),
      field("l2_latency", s.l2_latency, kTurns, kLatency, Micro{"tma_latency"}),
      field("dram_latency", s.dram_latency, kShortTimes, kLatency, Micro{"tma_latency"}),
      field("first_load", s.first_load, kShortTimes, kLaunch),
      field("gpcs", s.gpcs, {1, 12}, Micro{"cta_launch"}),
      field("gpc_groups", s.gpc_groups, {0, 12}, Micro{"tma_ring"}),
      field("load_spread", s.load_spread, kTurns, kLatency),
      field("merge_window", s.merge_window, kTurns),
      field("merge_limit", s.merge_limit, {1, 64}, Micro{"tma_ring"}),
      field("gpc_clock_spread", s.gpc_clock_spread, {0, 0.2}),
      field("l2_output", s.l2_output, kL2Rates, kL2, With{"clock.max"}, Micro{"tma_ring"}),
      field("epilogue", s.epilogue, kTileCycles, kEpilogue),
      field("first_epilogue", s.first_epilogue, kTileCycles, kEpilogue),
      field("chunk", s.chunk, kTileCycles, kEpilogue),
      field("next_tile", s.next_tile, kTurns, kEpilogue),
      field("hilbert_step", s.hilbert_step, kTurns, kInstructions),
      field("barrier", s.barrier, kTurns, kEpilogue, Micro{"named_barrier"}),
      field("store_latency", s.store_latency, kTileCycles, kEpilogue, Micro{"tma_store"}),
      field("store_read", s.store_read, kPort, kEpilogue, Micro{"tma_store"}),
      field("fused_issue", s.fused_issue, {1, 1024}),
      field("fused_special", s.fused_special, {1, 1024}),
      field("fp32_additions", s.fp32_additions, {1, 1024}),
      field("pairs_converted", s.pairs_converted, {1, 1024}),
      field("promotion_shown", s.promotion_shown, {0, 1}, kHopperAlone),
      field("drift", s.drift, {0, 8}),
      field("kernel", s.kernel, kLaunches, kLaunch),
      field("cluster", s.cluster, kLaunches, kLaunch),
      field("graph_launch", s.graph_launch, kLaunches, Micro{"cta_launch"}),
      field("stream_launch", s.stream_launch, kLaunches, Micro{"cta_launch"}),
      field("dispatch", s.dispatch, kGaps, kLaunch, Micro{"cta_launch"}),
      field("cta_start", s.cta_start, kLaunches, kLaunch),
      field("start_shared", s.start_shared, kShortTimes, kLaunch),
      field("start_roles", s.start_roles, kShortTimes, kLaunch),
      field("start_cluster", s.start_cluster, kShortTimes, kLaunch),
      field("group_read", s.group_read, kTileCycles, kLaunch),
      field("cta_restart", s.cta_restart, kTileCycles, kLaunch),
      field("cta_refill", s.cta_refill, kTileCycles, kLaunch, Micro{"cta_launch"}),
  };
}

std::vector<Field> rows(ClockSpec& s) {
  return {
      field("max", s.max, kClocks, Micro{"clock_trace"}),
      field("tensor_plateau", s.tensor_plateau, kClocks, With{"clock.max"}, Micro{"clock_trace"}),
      field("energy_exponent", s.energy_exponent, {0, 4}, Fit{0.3}),
      field("limiter", s.limiter, {0, 10'000 * kMicro}, Micro{"clock_trace"}),
  };
}

std::vector<Field> rows(PowerSpec& s) {
  return {
      field("sustained_limit", s.sustained_limit, {1, 10'000}),
      field("burst_limit", s.burst_limit, {1, 10'000}, With{"power.sustained_limit"}, Fit{0.3}),
      field("static_power", s.static_power, {0, 5'000}, With{"sm.count"}, Micro{"shared_latency"}),
      energy("per_flop_normal", s.per_flop_normal, kEnergyPerFlop, kFlopEnergies, Fit{0.5},
             Micro{"wgmma_rate"}),
      energy("per_flop_uniform", s.per_flop_uniform, kEnergyPerFlop, kFlopEnergies,
             With{"power.per_flop_normal"}, Micro{"wgmma_rate"}),
      energy("per_flop_ternary", s.per_flop_ternary, kEnergyPerFlop, kFlopEnergies,
             With{"power.per_flop_normal"}, Micro{"wgmma_rate"}),
      energy("per_flop_zeros", s.per_flop_zeros, kEnergyPerFlop, kFlopEnergies,
             With{"power.per_flop_normal"}, Micro{"wgmma_rate"}),
      field("bf16_flop", s.bf16_flop, {0.1, 2}, Fit{0.3}),
      field("zero_operand", s.zero_operand, {0, 1}),
      energy("promoted_sum", s.promoted_sum, kEnergyPerFlop, {0, 1000 * kPico}),
      energy("per_shared_memory_byte", s.per_shared_memory_byte, kEnergyPerByte, kByteEnergies,
             Fit{1}, Micro{"shared_read"}),
      energy("per_l2_byte", s.per_l2_byte, kEnergyPerByte, kByteEnergies, Fit{1},
             Micro{"tma_ring"}),
      energy("per_dram_byte", s.per_dram_byte, kEnergyPerByte, kByteEnergies, Micro{"tma_ring"}),
  };
}

std::vector<Field> rows(CardSpread& s) {
  return {
      field("burst", s.burst, {0, 0.2}),
      field("sustained", s.sustained, {0, 0.2}),
  };
}

}  // namespace

std::string Field::path() const {
  return section.empty() ? std::string(key) : std::string(section) + "." + std::string(key);
}

double Field::value() const {
  const i32* const* count = std::get_if<i32*>(&target);
  return count != nullptr ? **count : *std::get<double*>(target);
}

void Field::set(double value) const {
  const double within = std::clamp(value, least, most);
  if (i32* const* count = std::get_if<i32*>(&target)) {
    constexpr double kRounding = 1e-9;  // so that 114 / 132 x 66 is 57 after rounding down
    **count = static_cast<i32>(within + kRounding);
  } else {
    *std::get<double*>(target) = within;
  }
}

bool is_rate(Dimension dimension) {
  return dimension == kBytesPerSecond || dimension == kBytesPerCycle || dimension == kFlopsPerCycle;
}

std::vector<Field> fields_of(GpuSpec& gpu) {
  std::vector<Field> all{field("default_interval", gpu.default_interval, {0.01, 1})};
  const auto add = [&](std::string_view name, std::vector<Field> rows) {
    for (Field& field : rows) {
      if (!field.hopper_alone || gpu.architecture != Architecture::kBlackwell) {
        field.section = name;
        all.push_back(field);
      }
    }
  };
  add("sm", rows(gpu.sm));
  each_section(gpu, [&](std::string_view name, auto& section) {
    if (section) {
      add(name, rows(*section));
    }
  });
  return all;
}

Field field_of(GpuSpec& gpu, std::string_view path) {
  const std::vector<Field> all = fields_of(gpu);
  const auto found = std::ranges::find(all, path, &Field::path);
  TILECAST_ASSERT(found != all.end());
  return *found;
}

Presence presence_of(std::string_view section, Architecture architecture) {
  struct Presences {
    std::string_view section;
    Presence on_hopper, on_blackwell, on_others;  // other GPUs, which have only mma.sync
  };
  constexpr Presence kNo = Presence::kForbidden, kMay = Presence::kOptional,
                     kMust = Presence::kRequired;
  constexpr Presences kSections[] = {
      {"clusters", kMust, kMust, kNo},   {"wgmma", kMust, kNo, kNo},
      {"tcgen05", kNo, kMust, kNo},      {"mma_sync", kMay, kNo, kMay},
      {"l2", kMust, kMust, kMay},        {"dram", kMust, kMust, kMust},
      {"reduction", kMust, kMust, kMay}, {"machine", kMust, kMust, kMay},
      {"clock", kMust, kMust, kMust},    {"power", kMust, kMust, kMust},
      {"stream", kMay, kMay, kMust},     {"attention", kMay, kNo, kNo},
      {"card_spread", kMay, kMay, kNo}};
  const auto* const found = std::ranges::find(kSections, section, &Presences::section);
  TILECAST_ASSERT(found != std::end(kSections));
  return has_mma_sync_alone(architecture)           ? found->on_others
         : architecture == Architecture::kHopper    ? found->on_hopper
         : architecture == Architecture::kBlackwell ? found->on_blackwell
                                                    : kMay;
}

bool has_mma_sync_alone(Architecture architecture) {
  return architecture == Architecture::kAmpere || architecture == Architecture::kAda ||
         architecture == Architecture::kBlackwellRtx;
}

bool has_bulk_copies(Architecture architecture) {
  return architecture == Architecture::kHopper || architecture == Architecture::kBlackwell ||
         architecture == Architecture::kBlackwellRtx;
}

}  // namespace tilecast
