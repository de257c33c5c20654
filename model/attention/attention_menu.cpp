// Legal configurations of attention, and the work of each.
//
// Work: how much each CTA of a kernel gets and how CTAs share K and V. The busiest worker's
// blocks are found by walking the order of tiles, bytes from L2 by the needs of tiles of a wave,
// bytes from DRAM by the panels that L2 evicts between waves (panel_reuse.h). Beyond a number of
// tiles, waves repeat. Checked by: attention_form_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <span>

#include "model/attention/attention_model.h"
#include "model/attention/attention_text.h"
#include "model/base/math.h"
#include "model/form/panel_reuse.h"
#include "model/spec/gpu_fields.h"
#include "model/spec/occupancy.h"

namespace tilecast {
namespace {

constexpr i32 kMostKvBlock = 256;  // limit of a wgmma's N, and of the rows of a bulk copy's box
constexpr i32 kMostRing = 8;
constexpr i64 kMostTiles = i64{1} << 30;

struct AttentionCase {
  const GpuSpec& gpu;
  const AttentionProblem& problem;
  const AttentionConfig& config;

  AttentionTraits traits() const { return traits_of(config.schedule); }
  i32 registers() const { return accumulator_registers(config, problem.head_dim); }
  i32 shared() const { return attention_smem(config, problem.head_dim).total_bytes; }
  i64 tiles() const {
    const AttentionWork work = attention_work(problem, config);
    return i64{work.batch} * work.heads * work.row_blocks * work.splits;
  }
  i32 blocks() const { return ceil_div(problem.keys, config.kv_block); }
};
using Case = const AttentionCase&;

constexpr Rule<AttentionCase> kAttentionRules[] = {
    {[](Case c) { return !c.gpu.wgmma; }, "{schedule} requires wgmma (Hopper)",
     Refusal::kArchitecture},
    {[](Case c) {
       return c.config.groups < c.traits().least_groups || c.config.groups > c.traits().most_groups;
     },
     "{schedule} supports tiles of {least_rows} to {most_rows} rows, in steps of 64"},
    {[](Case c) {
       return c.config.kv_block < kScoresStep || c.config.kv_block > kMostKvBlock ||
              c.config.kv_block % kScoresStep != 0;
     },
     "blocks have 16 to 256 keys, in steps of 16", Refusal::kWgmmaShape},
    {[](Case c) {
       return c.config.stages < (c.traits().scores_ahead ? 2 : 1) || c.config.stages > kMostRing;
     },
     "{schedule} supports {least_stages} to 8 stages"},
    {[](Case c) {
       return c.config.order == AttentionOrder::kDynamic &&
              c.config.grid != AttentionGrid::kResident;
     },
     "order=dynamic requires grid=resident: other CTAs end after one tile"},
    {[](Case c) {
       return c.config.order == AttentionOrder::kLongestFirst && !is_causal(c.problem);
     },
     "order=longest_first requires a causal mask: without one all tiles are equally long"},
    {[](Case c) { return c.config.pack && heads_per_kv(c.problem) == 1; },
     "pack=yes requires more than one query head per KV head"},
    {[](Case c) { return c.config.splits > kMostAttentionSplits || c.config.splits > c.blocks(); },
     "splits={splits}: expected at most 128, and at most the {blocks} blocks of keys",
     Refusal::kSplit},
    {[](Case c) { return c.config.grid == AttentionGrid::kResident && !c.traits().producer; },
     "grid=resident requires a producer warpgroup, which {schedule} lacks"},
    {[](Case c) {
       return c.config.grid == AttentionGrid::kClusters &&
              (c.config.splits < 2 || c.config.splits > kMostClusterSplits);
     },
     "grid=clusters supports 2 to 16 splits, one per CTA of the cluster", Refusal::kSplit},
    {[](Case c) {
       return c.config.grid == AttentionGrid::kClusters &&
              !part_fits_stages(c.config, c.problem.head_dim);
     },
     "grid=clusters: a tile's partial result does not fit in the stages of K and V",
     Refusal::kSharedMemory},
    {[](Case c) { return !fits_registers(c.config, c.problem.head_dim); },
     "O, S and P take {registers} of the {has_registers} registers of a consumer thread",
     Refusal::kRegisters},
    {[](Case c) { return c.shared() > static_cast<i32>(c.gpu.sm.shared_memory_per_cta.value); },
     "needs {shared} bytes of shared memory, a CTA has at most {most_shared}",
     Refusal::kSharedMemory},
    {[](Case c) {
       return ctas_by_shared_memory(c.gpu.sm, Bytes{1.0 * c.shared()}) < c.config.ctas_per_sm ||
              c.config.ctas_per_sm * attention_threads(c.config) > c.gpu.sm.max_threads;
     },
     "{ctas} such CTAs do not fit on an SM", Refusal::kOccupancy},
    {[](Case c) { return c.tiles() > kMostTiles; }, "more than 2^30 tiles"},
};

constexpr i32 kKvBlocks[] = {32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224};
constexpr i32 kGroups[] = {1, 2, 3};
constexpr i32 kRingStages[] = {1, 2, 3, 4};
constexpr i32 kCtasPerSm[] = {1, 2, 3};
constexpr AttentionGrid kGrids[] = {AttentionGrid::kTiles, AttentionGrid::kResident,
                                    AttentionGrid::kClusters};
constexpr AttentionOrder kTileOrders[] = {AttentionOrder::kStatic, AttentionOrder::kLongestFirst,
                                          AttentionOrder::kDynamic};
constexpr i32 kUsualSplits[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128};
constexpr i64 kMostWavesOfSplits = 4;

/// Numbers of splits to try: 1 and, if there are few waves, the common ones and those that fill
/// whole waves.
std::vector<i32> splits_tried(i64 tiles, i64 workers) {
  std::vector<i32> splits{1};
  for (i64 waves = 1; waves <= 2; ++waves) {
    splits.push_back(static_cast<i32>(
        std::min<i64>(kMostAttentionSplits, std::max<i64>(1, waves * workers / tiles))));
  }
  for (const i32 usual : kUsualSplits) {
    if (tiles * usual <= kMostWavesOfSplits * workers) {
      splits.push_back(usual);
    }
  }
  std::ranges::sort(splits);
  splits.erase(std::ranges::unique(splits).begin(), splits.end());
  return splits;
}

/// Whether another configuration that is tried gives the same kernel: there is one wave of CTAs, so
/// they need no loop; all tiles are equally long, so their order does not matter; or registers do
/// not allow the CTAs per SM that a kernel without a producer requests.
bool repeats_another(const GpuSpec& gpu, i32 head_dim, const AttentionWork& work,
                     const AttentionConfig& c) {
  const bool one_wave = work.tiles() <= i64{gpu.sm.count} * c.ctas_per_sm;
  const bool one_length = !work.causal || work.row_blocks == 1;
  AttentionConfig fewer = c;
  fewer.ctas_per_sm = c.ctas_per_sm - 1;
  const bool same_registers =
      !has_producer(c.schedule) && fewer.ctas_per_sm > 0 &&
      compiled_registers(c, head_dim) == compiled_registers(fewer, head_dim);
  return (one_wave && c.grid == AttentionGrid::kResident) ||
         (one_length && c.order != AttentionOrder::kStatic) || same_registers;
}

const Rule<AttentionCase>* broken_rule(const GpuSpec& gpu, const AttentionProblem& problem,
                                       const AttentionConfig& config) {
  return first_broken(std::span<const Rule<AttentionCase>>(kAttentionRules),
                      AttentionCase{gpu, problem, config});
}

}  // namespace

std::string why_not_solvable(const GpuSpec& gpu, const AttentionProblem& problem) {
  return gpu.wgmma ? std::string(why_not_attention(problem))
                   : fmt::format("attention kernels require wgmma, which {} lacks", gpu.name);
}

Refusal check_legal(const GpuSpec& gpu, const AttentionProblem& problem,
                    const AttentionConfig& config) {
  const Rule<AttentionCase>* const broken = broken_rule(gpu, problem, config);
  return broken == nullptr ? Refusal::kNone : broken->refusal;
}

std::string why_not_legal(const GpuSpec& gpu, const AttentionProblem& problem,
                          const AttentionConfig& config) {
  const Rule<AttentionCase>* const broken = broken_rule(gpu, problem, config);
  if (broken == nullptr) {
    return "";
  }
  const AttentionCase c{gpu, problem, config};
  return fmt::format(fmt::runtime(broken->sentence), fmt::arg("schedule", to_text(config.schedule)),
                     fmt::arg("least_rows", c.traits().least_groups * kGroupRows),
                     fmt::arg("most_rows", c.traits().most_groups * kGroupRows),
                     fmt::arg("least_stages", c.traits().scores_ahead ? 2 : 1),
                     fmt::arg("splits", config.splits), fmt::arg("blocks", c.blocks()),
                     fmt::arg("registers", c.registers()),
                     fmt::arg("has_registers", attention_registers(config).consumer),
                     fmt::arg("shared", c.shared()),
                     fmt::arg("most_shared", static_cast<i32>(gpu.sm.shared_memory_per_cta.value)),
                     fmt::arg("ctas", config.ctas_per_sm));
}

AttentionCandidates enumerate_candidates(const GpuSpec& gpu, const AttentionProblem& problem,
                                         const std::vector<AttentionSchedule>& schedules) {
  using C = AttentionConfig;
  AttentionCandidates candidates;
  const std::vector<bool> packs =
      heads_per_kv(problem) > 1 ? std::vector{false, true} : std::vector{false};
  for (const AttentionSchedule schedule :
       schedules.empty() ? std::span<const AttentionSchedule>(kEveryAttentionSchedule)
                         : schedules) {
    const AttentionConfig fixed = fixed_by_schedule(schedule);
    const auto add = [&](const AttentionConfig& config) {
      const bool clusters = config.grid == AttentionGrid::kClusters;
      AttentionConfig c = config;
      c.splits = clusters ? 2 : 1;
      const Refusal refusal = check_legal(gpu, problem, c);
      if (refusal != Refusal::kNone) {
        candidates.add(c, refusal);
        return;
      }
      AttentionWork work = attention_work(problem, config);
      work.splits = 1;
      for (const i32 splits : splits_tried(work.tiles(), i64{gpu.sm.count} * config.ctas_per_sm)) {
        c.splits = splits;
        AttentionWork whole = work;
        whole.splits = splits;
        const bool has = !clusters || (splits > 1 && splits <= kMostClusterSplits);
        if (has && !repeats_another(gpu, problem.head_dim, whole, c)) {
          candidates.add(c, check_legal(gpu, problem, c));
        }
      }
    };
    walk_menu(fixed, add, &C::pack, packs, &C::groups, kGroups, &C::kv_block, kKvBlocks, &C::stages,
              kRingStages, &C::ctas_per_sm, kCtasPerSm, &C::grid, kGrids, &C::order, kTileOrders);
  }
  return candidates;
}

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
