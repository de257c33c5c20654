#include "model/analytic/closed_form.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "model/analytic/occupancy.h"
#include "model/base/math.h"
#include "model/tile/smem_layout.h"

namespace tilecast {
namespace {

// Where wgmmas bound the kernel: operand reads count as the cause from this share of their time on.
constexpr double kBoundByOperands = 0.95;
// Below this share of the kernel's time the main loop is not what bounds it.
constexpr double kMainLoopMatters = 0.5;

/// Tiles and DRAM traffic hide each other, but not wholly where they are about equal.
Cycles overlapped(Cycles a, Cycles b) {
  constexpr double kSharpness = 6;  // infinity would be the maximum
  const Cycles longest = std::max(a, b);
  return longest * std::pow(std::pow(a / longest, kSharpness) + std::pow(b / longest, kSharpness),
                            1 / kSharpness);
}

/// One CTA's wgmmas of one K block.
struct MmaBlock {
  Cycles operands;  // reading them from shared memory
  Cycles busy;      // the tensor pipe is taken for
  Bytes operand_bytes;
};

MmaBlock mma_block(const WgmmaSpec& wgmma, const Tiling& t) {
  constexpr double kElementBytes = 2;
  const double instructions = t.warpgroups * wgmmas_along_m(t) * (t.block_k / kWgmmaK);
  const Flops flops{2.0 * kWgmmaM * t.block_n * kWgmmaK};
  const Bytes bytes{(kWgmmaM + t.block_n) * kWgmmaK * kElementBytes};
  const Cycles tensor = compute_cycles(flops, wgmma.flops_per_sm);
  const Cycles operands = transfer_cycles(bytes, wgmma.operand_rate);
  return {operands * instructions,
          (std::max(tensor, operands) + wgmma.issue_overhead) * instructions, bytes * instructions};
}

/// What L2 still delivers of its output for rows of this many elements.
double row_alignment(const TmaSpec& tma, const GemmProblem& problem, i64 row_elements) {
  const i64 row_bytes = row_elements * element_bytes(problem.dtype);
  if (row_bytes % 32 != 0) {
    return tma.misaligned_by_16;
  }
  if (row_bytes % 64 != 0) {
    return tma.misaligned_by_32;
  }
  return row_bytes % 128 != 0 ? tma.misaligned_by_64 : 1;
}

/// The same for A and B together, by the bytes that a CTA asks for; B as [k,n] has rows of n.
double alignment(const TmaSpec& tma, const GemmProblem& problem, const Tiling& t) {
  const i64 b_row = problem.layout == Layout::kTn ? problem.shape.k : problem.shape.n;
  const double a = static_cast<double>(t.block_m) / t.cluster_n;
  const double b = static_cast<double>(t.block_n) / t.cluster_m;
  return (a + b) / (a / row_alignment(tma, problem, problem.shape.k) +
                    b / row_alignment(tma, problem, b_row));
}

/// Distinct lines that L2 puts out per SM cycle, with concurrent requests for one line merged.
BytesPerCycle l2_output(const GpuSpec& gpu, const GemmProblem& problem, const Tiling& t,
                        const GemmTraffic& traffic, Hertz sm_clock) {
  const double merged = std::min(gpu.l2->merge_limit, traffic.requests_per_line);
  return BytesPerCycle{gpu.l2->output.value / sm_clock.value * merged *
                       alignment(*gpu.tma, problem, t)};
}

/// Cycles each limit would take for one K block of every resident CTA of an SM.
struct SteadyState {
  Cycles mma, shared_memory, turn, intake, l2, ring;

  Cycles slowest() const { return std::max({mma, turn, intake, l2, ring}); }
};

/// What holds whatever the number of resident CTAs.
struct Conditions {
  Cycles load_latency;
  BytesPerCycle l2_per_sm;
  double a_filled, b_filled;  // part of a tile's rows of A and columns of B that exist, on average
};

double filled(i64 extent, i32 block) {
  return static_cast<double>(extent) / static_cast<double>(round_up<i64>(extent, block));
}

SteadyState steady_state(const GpuSpec& gpu, const KernelConfig& config, const Conditions& now,
                         double ctas) {
  const Tiling& t = config.tiling;
  const SmemLayout smem = smem_layout(t);
  const MmaBlock mma = mma_block(*gpu.wgmma, t);
  // Rows beyond the edge are filled with zeros, which L2 does not see.
  const Bytes stage{static_cast<double>(smem.a_stage_bytes + smem.b_stage_bytes)};
  const Bytes asked_of_l2{smem.a_stage_bytes * now.a_filled / t.cluster_n +
                          smem.b_stage_bytes * now.b_filled / t.cluster_m};
  const Cycles own_mma = mma.busy / t.warpgroups;

  Cycles turn = gpu.wgmma->block_turn;
  if (!has_producer_warpgroup(config.schedule)) {
    turn += gpu.tma->issue;
  }
  if (config.inflight == 0) {
    turn += own_mma + gpu.wgmma->completion_latency;
  }
  // A stage is taken while its load is under way, while its wgmmas run, and while those of
  // `inflight` later blocks do; the resident CTAs take turns on the tensor pipe.
  const Cycles transfer = transfer_cycles(stage, gpu.sm.intake);
  const Cycles holding = now.load_latency + transfer + mma.busy * (ctas * (1 + config.inflight));
  return {.mma = mma.busy * ctas,
          .shared_memory = mma.operands * ctas,
          .turn = turn,
          .intake = transfer * ctas,
          .l2 = transfer_cycles(asked_of_l2, now.l2_per_sm) * ctas,
          .ring = holding / t.stages};
}

Cycles epilogue_cycles(const EpilogueSpec& epilogue, const Tiling& t) {
  const Bytes c{2.0 * t.block_m * t.block_n};
  return epilogue.fixed + transfer_cycles(c, epilogue.rate);
}

/// Issue to barrier flip, weighted by where the bytes come from.
Cycles load_latency(const GpuSpec& gpu, const Tiling& t, const GemmTraffic& traffic,
                    Hertz sm_clock) {
  const double missing = std::min(1.0, traffic.dram_read / traffic.l2_to_sm);
  const Seconds latency =
      gpu.tma->l2_latency + (gpu.tma->dram_latency - gpu.tma->l2_latency) * missing;
  return cycles_of(latency, sm_clock) +
         (cluster_size(t) > 1 ? gpu.tma->multicast_latency : Cycles{});
}

Limiter slowest_of(const SteadyState& steady) {
  if (steady.slowest() == steady.mma) {
    return steady.shared_memory > steady.mma * kBoundByOperands ? Limiter::kSharedMemory
                                                                : Limiter::kTensor;
  }
  const std::array<std::pair<Cycles, Limiter>, 4> others{{{steady.intake, Limiter::kSmIntake},
                                                          {steady.l2, Limiter::kL2},
                                                          {steady.turn, Limiter::kLatency},
                                                          {steady.ring, Limiter::kLatency}}};
  return std::max_element(others.begin(), others.end())->second;
}

/// What a tile costs beyond its K blocks, by what its schedule hides.
Cycles exposed_per_tile(const GpuSpec& gpu, const KernelConfig& config, Cycles load_latency) {
  Cycles exposed = epilogue_cycles(*gpu.epilogue, config.tiling) + gpu.wgmma->completion_latency;
  if (config.schedule != Schedule::kWarpSpecialized) {
    exposed += load_latency;
  }
  if (config.schedule == Schedule::kPipelined) {
    exposed += gpu.launch->cta_refill;
  }
  return exposed;
}

/// The busiest SM's tiles: rounds of as many as are resident, and one round of what is left.
struct Rounds {
  double count;
  Cycles main_loop;  // of all rounds
};

Rounds busiest_sm(const GpuSpec& gpu, const KernelConfig& config, const GemmWork& work,
                  const Conditions& now, const SteadyState& steady, double ctas) {
  const double tiles = static_cast<double>(work.tiles_per_sm);
  const double k_blocks = static_cast<double>(work.k_blocks);
  const double full = std::floor(tiles / ctas);
  const double left = tiles - full * ctas;
  Rounds rounds{full, steady.slowest() * (k_blocks * full)};
  if (left > 0) {
    rounds.count += 1;
    rounds.main_loop += steady_state(gpu, config, now, left).slowest() * k_blocks;
  }
  return rounds;
}

Seconds dram_time(const DramSpec& dram, const GemmTraffic& traffic) {
  return transfer_time(traffic.dram_read, dram.bandwidth * dram.read_efficiency) +
         transfer_time(traffic.dram_write, dram.bandwidth * dram.write_efficiency);
}

}  // namespace

GemmWork gemm_work(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                   TrafficMemo& traffic) {
  const GemmShape& shape = problem.shape;
  const Tiling& t = config.tiling;
  const i32 workers = resident_workers(gpu, config);
  const TileScheduler s = make_tile_scheduler(shape, config, static_cast<u32>(workers));

  GemmWork work{};
  work.traffic = traffic.traffic(config, workers);
  work.ctas_per_sm = resident_ctas(gpu, config);
  // Each worker keeps cluster_size / ctas_per_sm SMs busy.
  work.tiles_per_sm = ceil_div<i64>(i64{s.num_tiles()} * work.ctas_per_sm, workers);
  work.k_blocks = ceil_div<i64>(shape.k, t.block_k);
  work.tiles = i64{s.num_tiles()} * cluster_size(t);
  const MmaBlock mma = mma_block(*gpu.wgmma, t);
  work.shared_memory =
      mma.operand_bytes * static_cast<double>(work.tiles * work.k_blocks) + work.traffic.sm_intake;
  return work;
}

ClosedForm closed_form(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                       const GemmWork& work, Hertz sm_clock) {
  const Tiling& t = config.tiling;
  const GemmTraffic& traffic = work.traffic;
  const Cycles latency = load_latency(gpu, t, traffic, sm_clock);
  const double ctas = static_cast<double>(std::min<i64>(work.ctas_per_sm, work.tiles_per_sm));
  const BytesPerCycle output = l2_output(gpu, problem, t, traffic, sm_clock);
  const double busy_sms = static_cast<double>(std::min<i64>(gpu.sm.count, work.tiles));
  const Conditions now{latency, output / busy_sms, filled(problem.shape.m, t.block_m),
                       filled(problem.shape.n, t.block_n)};
  const SteadyState steady = steady_state(gpu, config, now, ctas);

  const Rounds rounds = busiest_sm(gpu, config, work, now, steady, ctas);
  const Cycles tiles = rounds.main_loop + exposed_per_tile(gpu, config, latency) * rounds.count;
  const Cycles dram = cycles_of(dram_time(*gpu.dram, traffic), sm_clock);
  const Cycles ends = cycles_of(gpu.launch->kernel + gpu.epilogue->store_latency, sm_clock) +
                      gpu.launch->cta_start + latency;

  ClosedForm form{};
  form.cycles = ends + overlapped(tiles, dram);
  if (dram > tiles) {
    form.limiter = Limiter::kDram;
  } else if (rounds.main_loop < form.cycles * kMainLoopMatters) {
    form.limiter = Limiter::kOverhead;
  } else {
    form.limiter = slowest_of(steady);
  }
  const double blocks_per_sm = static_cast<double>(work.tiles * work.k_blocks) / gpu.sm.count;
  const Cycles tensor =
      compute_cycles(Flops{gemm_flops(problem.shape) / gpu.sm.count}, gpu.wgmma->flops_per_sm);
  const Cycles operands = mma_block(*gpu.wgmma, t).operands * blocks_per_sm;
  form.shares = {tensor / form.cycles, operands / form.cycles,
                 transfer_cycles(traffic.l2_to_sm, output) / form.cycles, dram / form.cycles};
  return form;
}

}  // namespace tilecast
