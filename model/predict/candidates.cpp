#include "model/predict/candidates.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>

#include "model/analytic/occupancy.h"
#include "model/base/math.h"
#include "model/base/parallel.h"
#include "model/predict/legality.h"
#include "model/tile/fp8_pairs.h"
#include "model/tile/group_rows.h"
#include "model/tile/register_plan.h"
#include "model/tile/schedule_text.h"
#include "model/tile/smem_layout.h"
#include "model/tile/swapped_operands.h"
#include "model/tile/tensor_memory.h"
#include "model/tile/tile_scheduler.h"

namespace tilecast {
namespace {

constexpr i32 kBlockM[] = {64, 128, 192, 256, 320};
constexpr i32 kBlockN[] = {16,  32,  48,  64,  80,  96,  112, 128, 144,
                           160, 176, 192, 208, 224, 240, 256, 320};
// Beside them the widths that make whole waves of a problem's tiles, of so many waves at most: with
// more, the step of the menu leaves little of the last one empty.
constexpr i32 kMostFittedWaves = 4;
// Operands are swapped where tiles in whole wgmmas of 64 rows would be beyond the last row of C by
// more than this part of it.
constexpr i64 kMostWaste = 10;
// Columns of a tile, then: as many as hold all rows of C, or a part of them; of one more part, too.
constexpr i32 kFewestSwappedColumns = 16;
constexpr i32 kSwappedBlockM[] = {64, 128, 192, 256};
constexpr i32 kBlockK[] = {64, 128, 256};
// The longest is for kernels without a ring, and for rings where a stage stays small: few rows.
constexpr i32 kLongBlockK = 256;
constexpr i32 kMostLongStage = 48 * 1024;  // bytes
constexpr i32 kMostMenuStages = 8;
constexpr i32 kMenuWarpgroups[] = {1, 2, 3};
constexpr i32 kFewestChunkSlots = 2;
// Of a warpgroup that holds a K block's sums of them beside the tile's.
constexpr i32 kMostPromotedColumns = 192;
// Two CTAs share an SM where each has no more outputs than this.
constexpr i32 kMostSharedOutputs = 128 * 128;
constexpr struct {
  i32 m, n;
} kClusters[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}};
constexpr Raster kStridedRasters[] = {
    {RasterKind::kGroupedM, 1, Walk::kStrided},  {RasterKind::kGroupedM, 4, Walk::kStrided},
    {RasterKind::kGroupedM, 8, Walk::kStrided},  {RasterKind::kGroupedM, 16, Walk::kStrided},
    {RasterKind::kGroupedN, 4, Walk::kStrided},  {RasterKind::kGroupedN, 8, Walk::kStrided},
    {RasterKind::kGroupedN, 16, Walk::kStrided}, {RasterKind::kHilbert, 1, Walk::kStrided}};
constexpr u32 kMostRowsOfBand = 64;  // beyond, no wave holds a column of a product's tiles
constexpr Raster kOneWaveRaster{RasterKind::kGroupedM, 8, Walk::kStrided};
// Of swapped operands: tiles that share weights follow each other, as they do in bands of rows of
// operands in order. Two columns of tiles in bands of 8 rows were 14 to 28 % slower.
constexpr Raster kSwappedRasters[] = {{RasterKind::kGroupedN, 8, Walk::kStrided}};
constexpr Raster kChunkedRasters[] = {{RasterKind::kGroupedM, 1, Walk::kChunked},
                                      {RasterKind::kGroupedN, 1, Walk::kChunked},
                                      {RasterKind::kHilbert, 1, Walk::kChunked}};

// Orders of tiles for the schedules that split K, which mostly have few tiles.
constexpr Raster kSplitRasters[] = {{RasterKind::kGroupedM, 8, Walk::kStrided},
                                    {RasterKind::kGroupedN, 8, Walk::kStrided}};
constexpr i32 kMostMenuSplits = 64;
constexpr i64 kMostFewSplits = 4;
constexpr i32 kMinKBlocks = 8;     // the usual least part of a row of K blocks
constexpr i32 kFewestKBlocks = 4;  // that the largest of equal parts has
constexpr double kMostWavesStreamed = 4;
// Where more parts than this meet in one tile, one after the other is never the fastest.
constexpr i32 kMostInTurn = 8;

// Of the tcgen05 kernels. One instruction covers a tile, so that the menu is short.
constexpr i32 kTcgen05BlockN[] = {64, 128, 192, 256};
constexpr i32 kTcgen05BlockK[] = {64, 128};

/// Sifts configurations by legality as they are proposed.
class Proposals {
 public:
  /// `all`: those too that never pay.
  Proposals(const GpuSpec& gpu, const GemmProblem& asked, OperandOrder operands, bool all)
      : gpu_(gpu),
        asked_(asked),
        operands_(operands),
        problem_(operands == OperandOrder::kSwapped ? transposed(asked) : asked),
        all_(all),
        rows_of_product_(asked.groups != nullptr ? asked.groups->largest() : problem_.shape.m) {}

  bool swaps_operands() const { return operands_ == OperandOrder::kSwapped; }
  /// As the kernels run it.
  const GemmProblem& problem() const { return problem_; }

  /// Beside what smem_layout lays out.
  i32 table_bytes() const { return group_table_bytes(problem_); }
  i32 scale_bytes_of_stage(const Tiling& tiling) const {
    return promotes(problem_.epilogue) ? scale_stage_bytes(tiling) : 0;
  }

  void add_orders(const KernelConfig& config) {
    splits_k(config.schedule) ? add_splits(config) : add_rasters(config);
  }

  void add_one(const KernelConfig& config) {
    if (accepted(config)) {
      add(config, {&config.raster, 1});
    }
  }

  CandidateKernels take() { return std::move(candidates_); }

 private:
  /// A kernel in every order of tiles of its grid that differs from the others. Whether it is legal
  /// depends on the order only where that is chunked, and then on the grid: it is checked once.
  void add_rasters(KernelConfig config) {
    config.raster = kStridedRasters[0];
    if (!accepted(config)) {
      return;
    }
    const u32 resident = static_cast<u32>(resident_workers(gpu_, config));
    const TileScheduler s = make_tile_scheduler(problem_, config, resident);
    if (s.num_tiles() <= resident) {
      if (config.store == Store::kDeferred) {
        reject(kNeverPays, config);  // no next tile to hide a store under
        return;
      }
      // All tiles at the same time, whatever their order.
      add(config, swaps_operands() ? std::span<const Raster>(kSwappedRasters)
                                   : std::span(&kOneWaveRaster, 1));
      return;
    }
    std::vector<Raster>& orders = begin(config);
    for (const Raster& raster : kStridedRasters) {
      if (!repeats_another(raster, s)) {
        orders.push_back(raster);
      }
    }
    const u32 rows = tile_rows(GemmShape{rows_of_product_, 0, 0}, config.tiling);
    const Raster by_product{RasterKind::kGroupedM, static_cast<i32>(rows), Walk::kStrided};
    if ((problem_.batch.products > 1 || problem_.groups != nullptr) && rows <= kMostRowsOfBand &&
        std::ranges::find(kStridedRasters, by_product) == std::end(kStridedRasters)) {
      orders.push_back(by_product);  // one product after the other, column by column
    }
    if (config.grid == Grid::kResident) {
      // Of a line all chunked orders are one.
      const bool once = swaps_operands() && s.tiles_n == 1;
      orders.insert(orders.end(), std::begin(kChunkedRasters),
                    once ? std::begin(kChunkedRasters) + 1 : std::end(kChunkedRasters));
    }
    end();
  }

  /// Every way to split K that can pay: into as many parts as fill the GPU once, or half of it; as
  /// a row of K blocks where the last wave is not full.
  void add_splits(KernelConfig config) {
    config.raster = kSplitRasters[0];
    const i32 resident = resident_workers(gpu_, config);
    if (resident == 0) {
      (void)accepted(config);  // refused, and counted
      return;
    }
    const TileScheduler s = make_tile_scheduler(problem_, config, static_cast<u32>(resident));
    const i64 tiles = s.num_tiles();
    const i64 k_blocks = ceil_div<i64>(problem_.shape.k, config.tiling.block_k);
    const i64 left = tiles % resident;  // of the partial wave
    const ScheduleTraits traits = traits_of(config.schedule);
    if (traits.split_k == SplitK::kEqually && traits.hybrid) {
      const i64 most = ceil_div<i64>(k_blocks, kFewestKBlocks);
      const i64 once = left == 0 ? 0 : std::min(resident / left, most);
      const i64 twice = left == 0 ? 0 : std::min(2 * resident / left, most);
      if (tiles > resident && std::max(once, twice) >= 2) {
        const i32 splits = static_cast<i32>(once >= 2 ? once : twice);
        add_reductions(config, splits, splits);
      }
      return;
    }
    if (traits.split_k == SplitK::kEqually) {
      const i64 fill = std::min(
          {resident / tiles, ceil_div<i64>(k_blocks, kFewestKBlocks), i64{kMostMenuSplits}});
      std::set<i64> menu{fill, fill * 3 / 4, fill / 2};
      if (tiles < 2 * resident && k_blocks >= 2 * kMostFewSplits * kFewestKBlocks) {
        menu.insert({2, 3, kMostFewSplits});  // of which some fill several waves
      }
      for (const i64 splits : menu) {
        if (splits >= 2) {
          add_reductions(config, static_cast<i32>(splits), static_cast<i32>(splits));
        }
      }
      return;
    }
    const bool few = static_cast<double>(tiles) < kMostWavesStreamed * resident;
    const bool pays = traits.hybrid ? tiles > resident : few;
    if (pays && left != 0 && k_blocks > kMinKBlocks) {
      add_reductions(config, 0, static_cast<i32>(ceil_div<i64>(resident, tiles)));
    }
  }

  /// Counts the kernel by its refusal where it has one.
  bool accepted(const KernelConfig& config) {
    if (!all_ && never_pays(config)) {
      reject(kNeverPays, config);
      return false;
    }
    const Refusal refusal = check_legal(gpu_, asked_, of_operands(config));
    if (refusal != Refusal::kNone) {
      reject(to_text(refusal), config);
      return false;
    }
    return true;
  }

  void reject(std::string_view reason, const KernelConfig& config) {
    const std::string key(reason);
    if (++candidates_.rejected[key] == 1) {
      candidates_.example.emplace(key, of_operands(config));
    }
  }

  KernelConfig of_operands(KernelConfig config) const {
    config.operands = operands_;
    return config;
  }

  /// A tile that stays as good with one wgmma row or the narrowest step of columns less, since C
  /// ends before; a cluster wider than C, whose outer CTAs only load for others.
  bool never_pays(const KernelConfig& config) const {
    const Tiling& t = config.tiling;
    const bool tcgen05 = uses_tcgen05(config.schedule);  // has no shorter tile
    const i32 step = tcgen05                          ? kTcgen05NStep
                     : problem_.layout == Layout::kNn ? kSlabColumns
                                                      : kInstructionNStep;
    return (!tcgen05 && t.block_m - kWgmmaM >= rows_of_product_) ||
           t.block_n - step >= problem_.shape.n ||
           ceil_div<i64>(rows_of_product_, t.block_m) < t.cluster_m ||
           ceil_div<i64>(problem_.shape.n, t.block_n) < t.cluster_n;
  }

  /// Bands as wide as C or wider are one order, those of columns that of single rows, and where C
  /// is one row or column of tiles all are.
  static bool repeats_another(const Raster& raster, const TileScheduler& s) {
    const bool line = s.tiles_m == 1 || s.tiles_n == 1;
    if (line || raster.kind == RasterKind::kHilbert) {
      return line && !(raster == kStridedRasters[0]);
    }
    if (raster.kind == RasterKind::kGroupedN) {
      return static_cast<u32>(raster.group) >= s.tiles_n;
    }
    return std::ranges::any_of(kStridedRasters, [&](const Raster& other) {
      return other.kind == raster.kind && other.group < raster.group &&
             static_cast<u32>(other.group) >= s.tiles_m;
    });
  }

  /// `parts` of a tile meet.
  void add_reductions(KernelConfig config, i32 splits, i32 parts) {
    config.decomposition = {splits, splits > 0 ? 0 : kMinKBlocks, Reduction::kTurnstile};
    for (const Reduction reduction :
         {Reduction::kTurnstile, Reduction::kAtomic, Reduction::kSpread}) {
      config.decomposition.reduction = reduction;
      if ((reduction == Reduction::kTurnstile && parts > kMostInTurn) ||
          (reduction == Reduction::kSpread && splits == 0)) {
        continue;
      }
      if (accepted(config)) {
        add(config, swaps_operands() ? std::span<const Raster>(kSwappedRasters) : kSplitRasters);
      }
    }
  }

  void add(const KernelConfig& config, std::span<const Raster> rasters) {
    std::vector<Raster>& orders = begin(config);
    orders.insert(orders.end(), rasters.begin(), rasters.end());
    end();
  }

  /// A kernel whose orders follow.
  std::vector<Raster>& begin(const KernelConfig& config) {
    KernelList& legal = candidates_.legal;
    legal.kernels.push_back({of_operands(config), legal.orders.size(), 0});
    return legal.orders;
  }
  void end() {
    KernelList& legal = candidates_.legal;
    KernelList::Kernel& kernel = legal.kernels.back();
    kernel.end = legal.orders.size();
    kernel.config.raster = legal.orders[kernel.begin];
  }

  const GpuSpec& gpu_;
  const GemmProblem& asked_;
  OperandOrder operands_;
  GemmProblem problem_;  // as it is run
  bool all_;
  i64 rows_of_product_;  // or of the largest group
  CandidateKernels candidates_;
};

struct Split {
  i32 m, n;
};

/// How `warpgroups` share a tile: along M where each then has whole wgmmas, else along N.
Split split_of(i32 block_m, i32 warpgroups) {
  return block_m % (warpgroups * kWgmmaM) == 0 ? Split{warpgroups, 1} : Split{1, warpgroups};
}

/// Most stages that fit, and one fewer, which leaves room for jitter to show: with each way to
/// stage C, for one kernel that has a ring.
void add_stages(const GpuSpec& gpu, KernelConfig config, std::span<const i32> c_slots,
                Proposals& proposals) {
  for (const i32 slots : c_slots) {
    config.tiling.c_slots = slots;
    config.tiling.stages = 0;
    const SmemLayout empty = smem_layout(config.schedule, config.tiling);
    const i32 room = shared_memory_for_each_of(gpu, config.ctas_per_sm) - empty.total_bytes -
                     proposals.table_bytes();
    const i32 stage = empty.a_stage_bytes + empty.b_stage_bytes + 2 * kBarrierBytes +
                      proposals.scale_bytes_of_stage(config.tiling);
    const i32 most = min_of(kMostMenuStages, room / stage);
    for (i32 stages = most; stages >= max_of(2, most - 1); --stages) {
      config.tiling.stages = stages;
      proposals.add_orders(config);
      if (splits_k(config.schedule)) {
        break;
      }
    }
    if (most < 2) {
      config.tiling.stages = 2;
      proposals.add_orders(config);  // refused, and counted
    }
  }
}

/// The ways to stage C: chunk by chunk, the whole tile at once, borrowed from the ring. Chunks
/// whose store is deferred go one by one.
std::vector<i32> c_slot_menu(const KernelConfig& config) {
  std::vector<i32> slots;
  if (config.grid == Grid::kTiles ||
      (traits_of(config.schedule).borrows_b_stages && cluster_size(config.tiling) == 1)) {
    slots.push_back(0);
  }
  const i32 chunks = c_chunks(config.schedule, config.tiling);
  slots.push_back(min_of(kFewestChunkSlots, chunks));
  if (config.inflight == 0 && chunks > 1) {
    slots.push_back(1);  // a stage more, where loads are waited for in every K block
  }
  if (chunks > kFewestChunkSlots && config.grid == Grid::kResident && !splits_k(config.schedule) &&
      config.store == Store::kAtTileEnd) {
    slots.push_back(chunks);
  }
  return slots;
}

void add_clusters(const GpuSpec& gpu, KernelConfig config, Proposals& proposals) {
  for (const auto& cluster : kClusters) {
    if (cluster.m * cluster.n > 1 && !traits_of(config.schedule).shares_operands) {
      continue;
    }
    config.tiling.cluster_m = cluster.m;
    config.tiling.cluster_n = cluster.n;
    add_stages(gpu, config, c_slot_menu(config), proposals);
  }
}

/// Every way to run one tile: split, occupancy, clusters, staging, grid.
void add_tile(const GpuSpec& gpu, KernelConfig config, Proposals& proposals) {
  Tiling& t = config.tiling;
  const bool promoted = promotes(proposals.problem().epilogue);
  const bool shares = t.block_m * t.block_n <= kMostSharedOutputs;
  const i32 n_step = t.block_n % kInstructionNStep == 0 ? kInstructionNStep : finest_n_step();
  for (const i32 warpgroups : kMenuWarpgroups) {
    const Split split = promoted && t.block_n > kMostPromotedColumns
                            ? Split{1, warpgroups}
                            : split_of(t.block_m, warpgroups);
    if (traits_of(config.schedule).tiles_at_once > 1 ? warpgroups > 1
                                                     : t.block_n % (split.n * n_step) != 0) {
      continue;
    }
    t.warpgroups_m = split.m;
    t.warpgroups_n = split.n;
    const i32 consumers = consumer_warpgroups(config.schedule, t);
    config.producer_registers =
        has_producer_warpgroup(config.schedule) ? default_producer_registers(consumers) : 0;
    for (i32 ctas = 1; ctas <= (shares ? 2 : 1); ++ctas) {
      config.ctas_per_sm = ctas;
      if (!has_ring(config.schedule)) {
        t.c_slots = 0;
        proposals.add_orders(config);
        continue;
      }
      config.inflight = promoted ? 0 : 1;
      add_clusters(gpu, config, proposals);
      if (traits_of(config.schedule).stores_can_be_deferred && !promoted &&
          !proposals.swaps_operands()) {
        config.store = Store::kDeferred;
        add_clusters(gpu, config, proposals);
        config.store = Store::kAtTileEnd;
      }
      if (traits_of(config.schedule).grid_is_open) {
        config.grid = Grid::kTiles;
        add_clusters(gpu, config, proposals);
        config.grid = Grid::kResident;
      }
    }
  }
}

void add_small(KernelConfig config, Proposals& proposals) {
  for (const i32 warpgroups : {1, 2}) {
    const Split split = split_of(config.tiling.block_m, warpgroups);
    config.tiling.warpgroups_m = split.m;
    config.tiling.warpgroups_n = split.n;
    for (const OperandSource source : {OperandSource::kShared, OperandSource::kRegisters}) {
      config.a_source = source;
      for (const i32 n : {8, 16, 32, 64, 128, 256}) {
        config.instruction_n = n;
        proposals.add_one(config);
      }
    }
  }
}

/// Widths between those of the menu with which tiles of `block_m` rows fill one wave or a few, and
/// an SM computes fewer columns than with any wider one of the menu. Splitting K fills waves by
/// itself.
std::vector<i32> fitted_widths(const GpuSpec& gpu, const GemmProblem& problem, Schedule schedule,
                               i32 block_m) {
  std::vector<i32> widths;
  if (problem.layout != Layout::kTn || problem.groups != nullptr || !has_ring(schedule) ||
      splits_k(schedule)) {
    return widths;
  }
  const i64 rows = problem.batch.products * ceil_div<i64>(problem.shape.m, block_m);
  const i64 n = problem.shape.n;
  const auto columns_of_sm = [&](i64 width) {
    return ceil_div<i64>(rows * ceil_div(n, width), gpu.sm.count) * width;
  };
  for (i64 waves = 1; waves <= kMostFittedWaves; ++waves) {
    const i64 tiles_across = waves * gpu.sm.count / rows;
    if (tiles_across == 0) {
      continue;
    }
    const i64 width = round_up<i64>(ceil_div(n, tiles_across), finest_n_step());
    const bool fits = std::ranges::none_of(kBlockN, [&](i32 of_menu) {
      return of_menu >= width && columns_of_sm(of_menu) <= columns_of_sm(width);
    });
    if (width > kBlockN[0] && width <= kMostInstructionN && fits &&
        std::ranges::find(widths, width) == widths.end()) {
      widths.push_back(static_cast<i32>(width));
    }
  }
  return widths;
}

/// Of swapped operands: with which one tile, or two or a few, hold all rows of C.
std::vector<i32> swapped_widths(i64 rows) {
  std::vector<i32> widths;
  const i64 fewest = ceil_div<i64>(rows, kMostInstructionN);
  for (const i64 parts : {fewest, fewest + 1}) {
    const i64 width = round_up<i64>(ceil_div(rows, parts), finest_n_step());
    widths.push_back(max_of(kFewestSwappedColumns, static_cast<i32>(width)));
  }
  if (widths.front() == widths.back()) {
    widths.pop_back();
  }
  return widths;
}

/// Whether it may pay to swap operands.
bool swaps_operands(const GemmProblem& problem) {
  const i64 m = problem.shape.m;
  return problem.layout == Layout::kTn && (round_up<i64>(m, kWgmmaM) - m) * kMostWaste > m;
}

void add_rows(const GpuSpec& gpu, Schedule schedule, i32 block_m, Proposals& proposals) {
  KernelConfig config = fixed_by_schedule(schedule);
  const ScheduleTraits traits = traits_of(schedule);
  std::vector<i32> block_ns;
  if (proposals.swaps_operands()) {
    block_ns = swapped_widths(proposals.problem().shape.n);
  } else {
    block_ns = fitted_widths(gpu, proposals.problem(), schedule, block_m);
    block_ns.insert(block_ns.begin(), std::begin(kBlockN), std::end(kBlockN));
  }
  for (const i32 block_n : block_ns) {
    for (const i32 block_k : kBlockK) {
      config.tiling.block_m = block_m;
      config.tiling.block_n = block_n;
      config.tiling.block_k = block_k;
      if (block_k == kLongBlockK && has_ring(schedule) &&
          (block_m + block_n) * block_k * kOperandBytes > kMostLongStage) {
        continue;
      }
      if (traits.one_k_block) {
        add_small(config, proposals);
      } else {
        config.grid = traits.grid_is_open ? Grid::kResident : traits.grid;
        add_tile(gpu, config, proposals);
      }
    }
  }
}

/// Every way to run one tile: by one CTA or a pair, where C is staged; and of warp_specialized how
/// its accumulators are kept and who hands out tiles.
void add_tcgen05_tile(const GpuSpec& gpu, KernelConfig config, Proposals& proposals) {
  for (const i32 group : {1, 2}) {
    config.tiling.cluster_m = group;
    if (!traits_of(config.schedule).grid_is_open) {
      add_stages(gpu, config, c_slot_menu(config), proposals);
      continue;
    }
    for (const Grid grid : {Grid::kTiles, Grid::kResident, Grid::kTakeover}) {
      config.grid = grid;
      for (const i32 accumulators : {1, kMostAccumulators}) {
        config.accumulators = accumulators;
        if (accumulators == 1 || grid != Grid::kTiles) {  // one tile needs no second place
          add_stages(gpu, config, c_slot_menu(config), proposals);
        }
      }
    }
  }
}

void add_tcgen05(const GpuSpec& gpu, Schedule schedule, Proposals& proposals) {
  KernelConfig config = fixed_by_schedule(schedule);
  config.inflight = 1;
  config.tiling.block_m = kTcgen05BlockM;
  for (const i32 block_n : kTcgen05BlockN) {
    for (const i32 block_k : kTcgen05BlockK) {
      config.tiling.block_n = block_n;
      config.tiling.block_k = block_k;
      const bool shares = kTcgen05BlockM * block_n <= kMostSharedOutputs;
      for (i32 ctas = 1; ctas <= (shares ? 2 : 1); ++ctas) {
        config.ctas_per_sm = ctas;
        add_tcgen05_tile(gpu, config, proposals);
      }
    }
  }
}

/// Those that the GPU's tensor cores run.
std::span<const Schedule> schedules_of(const GpuSpec& gpu) {
  return gpu.architecture == Architecture::kBlackwell ? std::span<const Schedule>(kTcgen05Schedules)
                                                      : std::span<const Schedule>(kWgmmaSchedules);
}

/// What one thread proposes at a time.
struct MenuPart {
  Schedule schedule;
  i32 block_m;
  OperandOrder operands = OperandOrder::kInOrder;
};

std::vector<MenuPart> menu_parts(std::span<const Schedule> schedules, bool swaps) {
  std::vector<MenuPart> parts;
  for (const Schedule schedule : schedules) {
    if (uses_tcgen05(schedule)) {
      parts.push_back({schedule, kTcgen05BlockM});
      continue;
    }
    for (const i32 block_m : kBlockM) {
      parts.push_back({schedule, block_m});
    }
    for (const i32 block_m : kSwappedBlockM) {
      if (swaps && has_ring(schedule)) {
        parts.push_back({schedule, block_m, OperandOrder::kSwapped});
      }
    }
  }
  return parts;
}

/// Those of all parts, one after the other.
CandidateKernels joined(std::span<const CandidateKernels> of_parts) {
  CandidateKernels all;
  auto& [kernels, orders] = all.legal;
  std::size_t kernel_count = 0, order_count = 0;
  for (const CandidateKernels& own : of_parts) {
    kernel_count += own.legal.kernels.size();
    order_count += own.legal.orders.size();
  }
  kernels.reserve(kernel_count);
  orders.reserve(order_count);
  for (const CandidateKernels& own : of_parts) {
    const std::size_t before = orders.size();
    for (const auto& [config, begin, end] : own.legal.kernels) {
      kernels.push_back({config, before + begin, before + end});
    }
    orders.insert(orders.end(), own.legal.orders.begin(), own.legal.orders.end());
    for (const auto& [reason, count] : own.rejected) {
      all.rejected[reason] += count;
    }
    all.example.insert(own.example.begin(), own.example.end());
  }
  return all;
}

}  // namespace

CandidateKernels enumerate_kernels(const GpuSpec& gpu, const GemmProblem& asked,
                                   const std::vector<Schedule>& asked_of, bool all,
                                   unsigned threads) {
  const GemmProblem problem = in_pairs(asked);
  const std::span<const Schedule> schedules = asked_of.empty() ? schedules_of(gpu) : asked_of;
  const auto propose = [&](bool unprofitable_too) {
    const std::vector<MenuPart> parts =
        menu_parts(schedules, can_swap_operands(problem, fixed_by_schedule(Schedule::kPipelined)) &&
                                  (unprofitable_too || swaps_operands(problem)));
    std::vector<CandidateKernels> of_parts(parts.size());
    parallel_for(parts.size(), threads, [&](std::size_t i) {
      const auto [schedule, block_m, operands] = parts[i];
      Proposals proposals(gpu, problem, operands, unprofitable_too);
      uses_tcgen05(schedule) ? add_tcgen05(gpu, schedule, proposals)
                             : add_rows(gpu, schedule, block_m, proposals);
      of_parts[i] = proposals.take();
    });
    return joined(of_parts);
  };
  CandidateKernels candidates = propose(all);
  if (candidates.legal.kernels.empty() && !all) {
    candidates = propose(true);
  }
  for (auto& [reason, config] : candidates.example) {
    config = in_elements(asked.dtype, config);
  }
  return candidates;
}

Candidates enumerate_candidates(const GpuSpec& gpu, const GemmProblem& problem,
                                const std::vector<Schedule>& schedules, bool all,
                                unsigned threads) {
  CandidateKernels found = enumerate_kernels(gpu, problem, schedules, all, threads);
  Candidates candidates{{}, std::move(found.rejected), std::move(found.example)};
  candidates.legal.reserve(found.legal.orders.size());
  for (const KernelList::Kernel& kernel : found.legal.kernels) {
    for (std::size_t order = kernel.begin; order < kernel.end; ++order) {
      candidates.legal.push_back(in_elements(problem.dtype, found.legal.candidate(kernel, order)));
    }
  }
  return candidates;
}

KernelList kernels_of(std::span<const KernelConfig> candidates) {
  KernelList list;
  for (const KernelConfig& config : candidates) {
    KernelConfig same = config;
    if (!list.kernels.empty()) {
      same.raster = list.kernels.back().config.raster;
    }
    if (list.kernels.empty() || !(same == list.kernels.back().config)) {
      list.kernels.push_back({config, list.orders.size(), 0});
    }
    list.orders.push_back(config.raster);
    list.kernels.back().end = list.orders.size();
  }
  return list;
}

}  // namespace tilecast
