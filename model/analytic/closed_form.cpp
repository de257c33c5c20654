#include "model/analytic/closed_form.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include "model/analytic/k_block.h"
#include "model/analytic/loads.h"
#include "model/analytic/main_loop.h"
#include "model/analytic/occupancy.h"
#include "model/analytic/tile_ends.h"
#include "model/base/math.h"
#include "model/base/smooth_max.h"
#include "model/spec/tensor_operation.h"
#include "model/tile/group_rows.h"

namespace tilecast {
namespace {

// Below this share of the kernel's time the main loop is not what bounds it.
constexpr double kMainLoopMatters = 0.5;

/// The tiles of the busiest SM, in rounds of as many as are resident and one round of what is left.
struct BusiestSm {
  Limiter limiter;  // of its K blocks
  Cycles step;      // one of each resident CTA
  Cycles main_loops, between, last;
  Cycles reduction;

  Cycles total() const { return main_loops + between + last + reduction; }
};

/// `load`: one stage's.
BusiestSm busiest_sm(const KernelAt& kernel, const GemmWork& work, const KBlock& block,
                     const Loads& loads, Cycles load) {
  const KBlockStep step = k_block_step(kernel, block, loads, kernel.ctas);
  const Cycles between = between_tiles(kernel, load, step, work.k_blocks);
  if (work.shared) {
    const WorkerShare& share = work.shared->busiest;
    return {step.limiter,
            step.time,
            step.time * share.k_blocks,
            between * std::max(0.0, share.pieces - 1),
            after_last_tile(kernel),
            reduction_time(kernel, share, static_cast<double>(work.shared->workers))};
  }
  const double tiles = static_cast<double>(work.tiles_per_sm);
  const double full = std::floor(tiles / kernel.ctas);
  const double left = tiles - full * kernel.ctas;
  const double rounds = full + (left > 0 ? 1 : 0);
  BusiestSm sm{step.limiter,
               step.time,
               step.time * (work.k_blocks * full),
               between * (rounds - 1),
               after_last_tile(kernel),
               {}};
  if (left > 0) {
    sm.main_loops += k_block_step(kernel, block, loads, left).time * work.k_blocks;
  }
  return sm;
}

Seconds dram_time(const KernelAt& kernel, const GemmWork& work) {
  return transfer_time(work.traffic.dram_read, dram_read_rate(kernel.gpu)) +
         transfer_time(work.traffic.dram_write, kernel.gpu.dram->write_rate);
}

void share_tiles(const GpuSpec& gpu, const KernelConfig& config, const TileScheduler& scheduler,
                 u32 resident, GemmWork& work) {
  const WorkDecomposition how =
      make_work_decomposition(scheduler, static_cast<i32>(work.k_blocks), config, resident);
  const SharedPieces shared = shared_pieces(how);
  work.shared = {busiest_share(how, shared), how.workers};
  if (how.splits == 0) {
    const double blocks = static_cast<double>(how.tiles) * how.k_blocks / how.workers;
    work.traffic.dram_read =
        skewed_dram_read(*gpu.l2, work.traffic, static_cast<double>(how.streamed) / how.tiles,
                         work.traffic.l2_to_sm * (skew_of_neighbours(how) / blocks));
  }
  const Bytes sums = partial_sum_bytes(config, shared) * 0.5;  // written as often as read
  work.traffic.l2_to_sm += sums;
  work.traffic.sm_intake += sums;
}

/// CTAs at work at the same time: one SM's, and SMs that have any.
struct Concurrency {
  double ctas, sms;
};

Concurrency concurrency(const GpuSpec& gpu, const KernelConfig& config, const GemmWork& work) {
  if (!work.shared) {
    return {static_cast<double>(std::min<i64>(work.ctas_per_sm, work.tiles_per_sm)),
            static_cast<double>(std::min<i64>(gpu.sm.count, work.tiles))};
  }
  const i64 ctas = work.shared->workers * cluster_size(config.tiling);
  const i64 sms = std::min<i64>(gpu.sm.count, ctas);
  return {static_cast<double>(std::min<i64>(work.ctas_per_sm, ceil_div(ctas, sms))),
          static_cast<double>(sms)};
}

Limiter longest_of(std::initializer_list<std::pair<Cycles, Limiter>> parts) {
  return std::ranges::max_element(parts, {}, &std::pair<Cycles, Limiter>::first)->second;
}

bool in_step(const GemmWork& work) {
  return work.shared ? work.shared->busiest.pieces <= 1 : work.tiles_per_sm <= work.ctas_per_sm;
}

/// Of a tile of the worker that has most, by tiles dealt out in turn, or neighbours to each, with
/// those of one matrix of C behind those of the one before. Bands of columns over all matrices deal
/// them out more evenly.
double k_blocks_of_busiest(const std::vector<u32>& of_products, const TileScheduler& s) {
  const u64 tiles = s.num_tiles() / of_products.size();  // of one matrix
  const bool chunked = s.raster.walk == Walk::kChunked;
  double most = 0;
  for (u32 worker = 0; worker < s.workers; ++worker) {
    double sum = 0;
    u64 begin = 0;
    for (const u32 k_blocks : of_products) {
      const u64 end = begin + tiles;
      const auto before = [&](u64 tile) {  // of the worker's tiles
        return chunked ? std::clamp<u64>(tile, s.first(worker), s.end(worker))
                       : ceil_div<u64>(tile - std::min<u64>(tile, worker), s.workers);
      };
      sum += static_cast<double>(before(end) - before(begin)) * k_blocks;
      begin = end;
    }
    most = std::max(most, sum);
  }
  return most / ceil_div(s.num_tiles(), s.workers);
}

GemmWork work_with(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                   const GemmTraffic& traffic) {
  const GemmShape& shape = problem.shape;
  const Tiling& t = config.tiling;
  const i32 workers = resident_workers(gpu, config);
  const TileScheduler s = make_tile_scheduler(problem, config, static_cast<u32>(workers));

  GemmWork work{};
  work.traffic = traffic;
  work.ctas_per_sm = resident_ctas(gpu, config);
  // Each worker keeps cluster_size / ctas_per_sm SMs busy.
  work.tiles_per_sm = ceil_div<i64>(i64{s.num_tiles()} * work.ctas_per_sm, workers);
  work.tiles = i64{s.num_tiles()} * cluster_size(t);
  work.k_blocks = static_cast<double>(ceil_div<i64>(shape.k, t.block_k));
  work.all_k_blocks = static_cast<double>(work.tiles) * work.k_blocks;
  if (grouped_along_k(problem)) {
    const std::vector<u32> of_products = k_blocks_of_products(problem, t);
    const double sum = std::accumulate(of_products.begin(), of_products.end(), 0.0);
    work.k_blocks = k_blocks_of_busiest(of_products, s);
    work.all_k_blocks =
        static_cast<double>(work.tiles) * (sum / static_cast<double>(of_products.size()));
  }
  if (splits_k(config.schedule)) {
    share_tiles(gpu, config, s, static_cast<u32>(workers), work);
  }
  const TensorOperation operation = tensor_operation(gpu, config);
  work.shared_memory = Bytes{operation.operand_bytes * operation.of_cta() * work.all_k_blocks} +
                       work.traffic.sm_intake;
  return work;
}

}  // namespace

GemmWork gemm_work(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  TrafficMemo traffic(*gpu.l2, problem);
  return gemm_work(gpu, problem, config, traffic);
}

GemmWork gemm_work(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                   TrafficMemo& traffic) {
  return work_with(gpu, problem, config, traffic.traffic(config, resident_workers(gpu, config)));
}

GemmWork least_gemm_work(const GpuSpec& gpu, const GemmProblem& problem,
                         const KernelConfig& config) {
  return work_with(gpu, problem, config,
                   least_traffic(*gpu.l2, problem, config, resident_workers(gpu, config)));
}

Bytes l2_output(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                const GemmWork& work) {
  return l2_output(gpu, problem, config.tiling, work.traffic, in_step(work));
}

ClosedForm closed_form(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                       const GemmWork& work, Hertz sm_clock) {
  const auto [ctas, busy_sms] = concurrency(gpu, config, work);
  const i32 grid = static_cast<i32>(ctas * busy_sms);
  const KernelAt kernel{
      gpu,  problem, config, sm_clock, kernel_costs(gpu, problem, config, grid, false, sm_clock),
      ctas, busy_sms};
  const Loads loads = operand_loads(kernel, work.traffic, in_step(work));
  const KBlock block = k_block(kernel);
  const Cycles load = stage_load(kernel, block, loads);
  const BusiestSm sm = busiest_sm(kernel, work, block, loads, load);
  const Cycles tiles = sm.total();
  const Cycles dram = cycles_of(dram_time(kernel, work), sm_clock);
  const Cycles ends =
      kernel.cycles(kernel.costs.kernel + kernel.costs.dispatch * grid + kernel.costs.cta_start) +
      first_load(kernel, load) + last_store(kernel);

  ClosedForm form{};
  // They hide each other, but not wholly where they are about equal.
  form.cycles = ends + smooth_max<kInBursts>({tiles, dram});
  if (dram > tiles) {
    form.limiter = Limiter::kDram;
  } else if (sm.main_loops < form.cycles * kMainLoopMatters) {
    form.limiter = longest_of({{ends, Limiter::kLaunch},
                               {sm.between + sm.last, Limiter::kEpilogue},
                               {sm.reduction, Limiter::kReduction}});
  } else {
    form.limiter = sm.limiter;
  }
  const double blocks_per_sm = work.all_k_blocks / gpu.sm.count;
  const Cycles tensor =
      compute_cycles(Flops{multiplied_flops(problem, config) / gpu.sm.count}, tensor_rate(gpu));
  const Cycles l2 = l2_time(config.tiling, block, loads);
  form.shares = {tensor / form.cycles, block.operands * blocks_per_sm / form.cycles,
                 transfer_cycles(block.fill(), gpu.machine->intake) * blocks_per_sm / form.cycles,
                 l2 * (blocks_per_sm * gpu.sm.count / busy_sms) / form.cycles, dram / form.cycles};
  form.parts = {.ends = ends,
                .main_loops = sm.main_loops,
                .dram = dram,
                .step = sm.step,
                .mma = block.mma * ctas,
                .l2 = l2 * ctas,
                .load = load,
                .ctas = ctas};
  return form;
}

}  // namespace tilecast
