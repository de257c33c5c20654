// Finds how much work each CTA of a kernel gets and how CTAs share K and V. The busiest worker's
// blocks are found by walking the order of tiles, bytes from L2 by what the tiles of a wave need,
// bytes from DRAM by the panels that L2 evicts between waves (panel_reuse.h). Beyond a number of
// tiles, waves repeat. Checked by: attention_form_test.cpp.
#include <algorithm>
#include <cmath>
#include <queue>

#include "model/attention/attention_model.h"
#include "model/base/math.h"
#include "model/form/panel_reuse.h"
#include "model/spec/occupancy.h"

namespace tilecast {
namespace {

// Maximum number of tiles that are walked (with more tiles, and over 15 per SM, waves repeat), and
// the maximum for which the tiles of each worker are listed in order.
constexpr i64 kMostWalked = 1 << 11, kMostInTurn = 1 << 16;

/// Blocks and tiles of the worker that ends last, if each tile goes to the first free worker, or to
/// the workers round-robin. A tile costs one block more than it has.
struct Busiest {
  double blocks, tiles;
};
Busiest busiest_worker(const AttentionWork& work, const AttentionPlan& plan, bool in_turn) {
  const double tiles = static_cast<double>(plan.tiles), workers = static_cast<double>(plan.workers);
  const double rounds = std::ceil(tiles / workers), mean = plan.all_blocks / tiles;
  if (!work.causal) {  // apart from parts that are one block longer, all tiles are equal
    return {rounds * std::ceil(mean), rounds};
  }
  if (plan.tiles > (in_turn ? kMostInTurn : kMostWalked)) {
    // Round-robin gives each worker a sample of all tiles. If tiles are drawn, the last ones are
    // the shortest.
    return in_turn              ? Busiest{(rounds + 0.5) * mean, rounds}
           : work.longest_first ? Busiest{plan.all_blocks / workers + 1, tiles / workers}
                                : Busiest{plan.all_blocks / workers + mean / 2, tiles / workers};
  }
  std::vector<Busiest> loads(static_cast<std::size_t>(plan.workers));
  const auto add = [&](std::size_t worker, i32 tile) {
    loads[worker].blocks += work.at(tile).count;
    loads[worker].tiles += 1;
    return loads[worker].blocks + loads[worker].tiles;
  };
  using Free = std::pair<double, std::size_t>;
  std::priority_queue<Free, std::vector<Free>, std::greater<>> free;
  for (i32 tile = 0; tile < plan.tiles; ++tile) {
    const bool first = tile < plan.workers;
    const std::size_t worker =
        in_turn || first ? static_cast<std::size_t>(tile % plan.workers) : free.top().second;
    if (!first && !in_turn) {
      free.pop();
    }
    const double busy = add(worker, tile);
    if (!in_turn) {
      free.emplace(busy, worker);
    }
  }
  return *std::ranges::max_element(loads, {},
                                   [](const Busiest& load) { return load.blocks + load.tiles; });
}

}  // namespace

i32 resident_ctas(const GpuSpec& gpu, const AttentionProblem& problem,
                  const AttentionConfig& config) {
  if (has_producer(config.schedule)) {
    return config.ctas_per_sm;
  }
  const i32 shared = attention_smem(config, problem.head_dim).total_bytes;
  return std::min(
      gpu.sm.registers / (attention_threads(config) * compiled_registers(config, problem.head_dim)),
      ctas_by_shared_memory(gpu.sm, Bytes{1.0 * shared}));
}

i64 resident_workers(const GpuSpec& gpu, const AttentionProblem& problem,
                     const AttentionConfig& config) {
  const i64 ctas = resident_ctas(gpu, problem, config), size = config.splits;
  if (config.grid != AttentionGrid::kClusters || !gpu.clusters) {
    return gpu.sm.count * ctas;
  }
  // A cluster size that was not measured gets the CTAs of the next smaller measured one, minus one
  // cluster that fits into no GPC. Above eight, each GPC that holds two clusters of eight holds
  // one.
  const ClusterSpec& most = *gpu.clusters;
  const i64 of_8 = most.max_active_of_8 > 0 ? most.max_active_of_8 : most.max_active_of_4 / 2;
  const i64 of_2 = most.max_active_of_2, of_4 = most.max_active_of_4;
  const i64 clusters = size == 2   ? of_2
                       : size < 4  ? of_2 * 2 / size - 1
                       : size == 4 ? of_4
                       : size < 8  ? of_4 * 4 / size - 1
                       : size == 8 ? of_8
                                   : of_8 / 2;
  return std::max<i64>(1, clusters) * ctas * size;
}

const AttentionPlans::Panels& AttentionPlans::panels_of(const AttentionWork& work, bool pack,
                                                        i64 workers) {
  const auto [found, is_new] =
      panels_.try_emplace({work.heads, work.queries_per_tile, work.splits, pack, work.longest_first,
                           static_cast<i32>(workers)});
  Panels& panels = found->second;
  if (is_new) {
    const i32 kv_heads = problem_.batch * problem_.kv_heads;
    const i32 sharing = work.heads / problem_.kv_heads;  // heads of tiles with the same K and V
    const Bytes all{kv_bytes(problem_)};
    PanelReuse reuse(std::vector<Bytes>(static_cast<std::size_t>(kv_heads * work.splits),
                                        all / kv_heads / work.splits));
    const i64 tiles = work.tiles(), walked = std::min(tiles, kMostWalked);
    Bytes so_far;
    for (i64 i = 0; i < walked; ++i) {
      const AttentionTile tile = work.at(static_cast<i32>(i));
      const i32 head = (tile.batch * work.heads + tile.head) / sharing;
      so_far += reuse.use(static_cast<u32>(head * work.splits + tile.split), i / workers, so_far,
                          all, gpu_.l2->capacity * gpu_.l2->usable_fraction);
    }
    const double more = static_cast<double>(tiles) / static_cast<double>(walked);
    panels = {std::max(1.0, reuse.sharers(static_cast<double>(walked))),
              std::max(reuse.read() * more, all)};
  }
  return panels;
}

const AttentionPlan& AttentionPlans::of(const AttentionConfig& config) {
  const AttentionWork work = attention_work(problem_, config);
  const bool in_turn =
      config.grid == AttentionGrid::kResident && config.order != AttentionOrder::kDynamic;
  const auto [found, is_new] = plans_.try_emplace(
      {work.heads, work.queries_per_tile, config.kv_block, config.splits, config.pack,
       work.longest_first, 2 * static_cast<i32>(config.grid) + in_turn,
       resident_ctas(gpu_, problem_, config)});
  AttentionPlan& plan = found->second;
  if (!is_new) {
    return plan;
  }
  plan.tiles = work.tiles();
  plan.workers = std::min(resident_workers(gpu_, problem_, config), plan.tiles);
  plan.rows_of_tiles = plan.tiles / config.splits * tile_rows(config);
  const double heads = 1.0 * work.batch * work.heads;
  for (i32 row_block = 0; row_block < work.row_blocks; ++row_block) {
    for (i32 split = 0; split < work.splits; ++split) {
      const AttentionTile tile = work.tile(0, row_block, split);
      plan.all_blocks += tile.count * heads;
      plan.masked_blocks += tile.masked * heads;
    }
  }
  const Busiest busiest = busiest_worker(work, plan, in_turn);
  plan.busiest_blocks = busiest.blocks;
  plan.busiest_tiles = busiest.tiles;
  const Panels& panels = panels_of(work, config.pack, plan.workers);
  plan.sharers = panels.sharers;
  plan.kv_from_l2 = Bytes{plan.all_blocks * 2 * config.kv_block * problem_.head_dim *
                          element_bytes(problem_.dtype)};
  plan.q_from_l2 = Bytes{query_bytes(problem_) * config.splits};
  plan.missing = std::min(1.0, panels.read / plan.kv_from_l2 * plan.sharers);
  plan.partial = config.grid == AttentionGrid::kClusters
                     ? Bytes{}
                     : Bytes{static_cast<double>(partial_bytes(problem_, config))};
  plan.dram_read = Bytes{query_bytes(problem_)} + panels.read;
  plan.dram_write = Bytes{query_bytes(problem_) + lse_bytes(problem_)} + plan.partial;
  return plan;
}

}  // namespace tilecast
