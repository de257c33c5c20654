#include "model/gemm/menu/proposals.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "model/base/math.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/config/tensor_memory.h"
#include "model/gemm/costs/occupancy.h"
#include "model/gemm/costs/tensor_operation.h"
#include "model/gemm/menu/legality.h"
#include "model/gemm/order/normal_order.h"
#include "model/gemm/order/tile_scheduler.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/gemm/rules/compiler_rejections.h"
#include "model/gemm/rules/kernel_rules.h"

namespace tilecast {
namespace {

constexpr Raster kStridedRasters[] = {
    {RasterKind::kGroupedM, 1, Walk::kStrided}, {RasterKind::kGroupedM, 4, Walk::kStrided},
    {RasterKind::kGroupedM, 8, Walk::kStrided}, {RasterKind::kGroupedM, 16, Walk::kStrided},
    {RasterKind::kGroupedN, 4, Walk::kStrided}, {RasterKind::kGroupedN, 8, Walk::kStrided},
    {RasterKind::kGroupedN, 16, Walk::kStrided}};
constexpr u32 kMostRowsOfBand = 64;  // beyond this, no wave holds a column of a GEMM's tiles
constexpr Raster kOneWaveRaster{RasterKind::kGroupedM, 8, Walk::kStrided};
// Tile orders for swapped operands: tiles that share weights are consecutive, as row-wise swizzle
// groups make them for operands in the usual order. Two columns of tiles in groups of 8 rows took
// 14 to 28 % longer.
constexpr Raster kSwappedRasters[] = {{RasterKind::kGroupedN, 8, Walk::kStrided}};
constexpr Raster kChunkedRasters[] = {{RasterKind::kGroupedM, 1, Walk::kChunked},
                                      {RasterKind::kGroupedN, 1, Walk::kChunked}};
// Not on the menu: of 413 kernels measured in bands and in this order four are over 1 % faster in
// it (at most 1.7 %), and the geometric mean is 6 % slower.
constexpr Raster kHilbertRasters[] = {{RasterKind::kHilbert, 1, Walk::kStrided},
                                      {RasterKind::kHilbert, 1, Walk::kChunked}};

// Tile orders for schedules that split K, which mostly have few tiles.
constexpr Raster kSplitRasters[] = {{RasterKind::kGroupedM, 8, Walk::kStrided},
                                    {RasterKind::kGroupedN, 8, Walk::kStrided}};
constexpr i32 kMostMenuSplits = 64;
constexpr i64 kMostFewSplits = 4;
constexpr i32 kMinKBlocks = 8;     // minimum length of a stream-K part by default
constexpr i32 kFewestKBlocks = 4;  // minimum length of the largest of equal parts
constexpr double kMostWavesStreamed = 4;
// With more parts per tile than this, serial reduction is never the fastest.
constexpr i32 kMostInTurn = 8;

/// Numbers of equal parts of K to try.
std::set<i64> equal_parts(i64 tiles, i64 k_blocks, i64 resident) {
  const i64 fill =
      std::min({resident / tiles, ceil_div<i64>(k_blocks, kFewestKBlocks), i64{kMostMenuSplits}});
  std::set<i64> parts{fill, fill * 3 / 4, fill / 2};
  if (tiles < 2 * resident && k_blocks >= 2 * kMostFewSplits * kFewestKBlocks) {
    parts.insert({2, 3, kMostFewSplits});  // some of which fill several waves
  }
  return parts;
}

}  // namespace

Proposals::Proposals(const GpuSpec& gpu, const GemmProblem& asked, OperandOrder operands,
                     const Breadth& breadth)
    : gpu_(gpu),
      asked_(asked),
      operands_(operands),
      problem_(operands == OperandOrder::kSwapped ? transposed(asked) : asked),
      breadth_(breadth),
      rows_of_product_(grouped_along_m(asked) ? asked.groups->largest() : problem_.shape.m) {}

i32 Proposals::table_bytes() const { return group_table_bytes(problem_); }
i32 Proposals::scale_bytes_of_stage(const Tiling& tiling) const {
  return has_block_scales(problem_.epilogue) ? scale_stage_bytes(tiling) : 0;
}

void Proposals::add_orders(const KernelConfig& config) {
  splits_k(config.schedule) ? add_splits(config) : add_rasters(config);
}

void Proposals::add_one(const KernelConfig& config) {
  if (accepted(config)) {
    add(config, {&config.raster, 1});
  }
}

/// Proposes a kernel in every distinct tile order of its grid. Tile order affects legality in two
/// ways: the walk depends on the grid, and Hilbert curves are compiled separately.
void Proposals::add_rasters(KernelConfig config) {
  config.raster = kStridedRasters[0];
  if (!accepted(config)) {
    return;
  }
  const u32 resident = static_cast<u32>(resident_workers(gpu_, config));
  const TileScheduler s = make_tile_scheduler(problem_, config, resident);
  if (s.num_tiles() <= resident) {
    if (config.store == Store::kDeferred) {
      reject(kNeverPays, config);  // no next tile to overlap the store with
      return;
    }
    // With slots for C, a CTA with one tile runs the same on either grid.
    const bool as_resident = traits_of(config.schedule).grid_is_open &&
                             config.grid == Grid::kTiles && config.tiling.c_slots > 0;
    if (as_resident && !breadth_.every_name) {
      return;
    }
    add(config, swaps_operands() ? std::span<const Raster>(kSwappedRasters)
                                 : std::span(&kOneWaveRaster, 1));
    return;
  }
  std::vector<Raster> rasters(std::begin(kStridedRasters), std::end(kStridedRasters));
  const u32 rows = tile_rows(GemmShape{rows_of_product_, 0, 0}, config.tiling);
  if ((problem_.batch.products > 1 || problem_.groups != nullptr) && rows <= kMostRowsOfBand) {
    // One GEMM after another, column by column.
    rasters.push_back({RasterKind::kGroupedM, static_cast<i32>(rows), Walk::kStrided});
  }
  const bool resident_grid = config.grid == Grid::kResident;
  if (resident_grid) {
    rasters.insert(rasters.end(), std::begin(kChunkedRasters), std::end(kChunkedRasters));
  }
  if (breadth_.unprofitable) {
    rasters.insert(rasters.end(), std::begin(kHilbertRasters),
                   std::begin(kHilbertRasters) + (resident_grid ? 2 : 1));
  }
  add(config, rasters);
}

/// Proposes every useful way to split K: equally, into as many parts as fill the GPU once, or half
/// of it; or as a stream of K blocks, if the last wave is not full.
void Proposals::add_splits(KernelConfig config) {
  config.raster = kSplitRasters[0];
  if (!has_tensor_core(gpu_, traits_of(config.schedule).tensor_core)) {
    reject(to_text(Refusal::kArchitecture), config);  // this GPU's limits may be unknown
    return;
  }
  const i32 resident = resident_workers(gpu_, config);
  if (resident == 0) {
    (void)accepted(config);  // rejected and counted
    return;
  }
  const TileScheduler s = make_tile_scheduler(problem_, config, static_cast<u32>(resident));
  const i64 tiles = s.num_tiles();
  const i64 k_blocks = ceil_div<i64>(problem_.shape.k, config.tiling.block_k);
  const ScheduleTraits traits = traits_of(config.schedule);
  const std::size_t before = candidates_.legal.size();
  add_paying_splits(config, tiles, k_blocks, resident);
  if (breadth_.unprofitable && candidates_.legal.size() == before) {
    config.decomposition = {traits.split_k == SplitK::kEqually ? 2 : 0,
                            traits.split_k == SplitK::kEqually ? 0 : kMinKBlocks,
                            Reduction::kTurnstile};
    if (accepted(config)) {
      reject(kNoSplitPays, config);
    }
  }
}

void Proposals::add_paying_splits(const KernelConfig& config, i64 tiles, i64 k_blocks,
                                  i64 resident) {
  const i64 left = tiles % resident;  // tiles in the partial wave
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
    for (const i64 splits : equal_parts(tiles, k_blocks, resident)) {
      if (splits >= 2) {
        add_reductions(config, static_cast<i32>(splits), static_cast<i32>(splits));
      }
    }
    return;
  }
  // A stream over one tile in equal parts is split_k.
  const i64 parts = std::min<i64>(resident, k_blocks / kMinKBlocks);
  if (tiles == 1 && breadth_.splits_equally && !breadth_.every_name && parts > 1 &&
      k_blocks % parts == 0 && equal_parts(tiles, k_blocks, resident).contains(parts)) {
    return;
  }
  const bool few = static_cast<double>(tiles) < kMostWavesStreamed * static_cast<double>(resident);
  // A hybrid that streams all tiles is stream_k.
  const i64 fewest = breadth_.streams_all && !breadth_.every_name ? 2 * resident : resident;
  const bool pays = traits.hybrid ? tiles > fewest : few;
  if (pays && left != 0 && k_blocks > kMinKBlocks) {
    add_reductions(config, 0, static_cast<i32>(ceil_div<i64>(resident, tiles)));
  }
}

/// Returns whether the kernel is legal and not dominated; otherwise counts it under the reason.
bool Proposals::accepted(const KernelConfig& config) {
  if (!breadth_.unprofitable && never_pays(config)) {
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

void Proposals::reject(std::string_view reason, const KernelConfig& config) {
  candidates_.reject(reason, of_operands(config));
}

KernelConfig Proposals::of_operands(KernelConfig config) const {
  config.operands = operands_;
  return config;
}

/// Returns whether another configuration is always at least as fast.
///   Tiles     dominated by a smaller tile that also covers C: one wgmma row or one column step
///             less, or 256 columns instead of more.
///   Clusters  dominated if at least half of the CTAs lie outside C and only load for the others,
///             unless SMs would be idle anyway because no schedule may split K (112x64x19344 with
///             amax takes 40.8 us on an H100 with 1x4, 49.1 us without). Not tcgen05 pairs: each of
///             the two CTAs loads half of B.
bool Proposals::never_pays(const KernelConfig& config) const {
  const Tiling& t = config.tiling;
  const bool tcgen05 = uses_tcgen05(config.schedule);  // has no shorter tile
  const i32 step = tcgen05                          ? kTcgen05NStep
                   : !b_is_k_major(problem_.layout) ? kSlabColumns
                                                    : kInstructionNStep;
  const i64 rows = ceil_div<i64>(rows_of_product_, t.block_m);
  const i64 columns = ceil_div<i64>(problem_.shape.n, t.block_n);
  const bool wide = (!tcgen05 && rows <= t.cluster_m / 2) || columns <= t.cluster_n / 2;
  const i64 ctas = problem_.batch.products * round_up<i64>(rows, t.cluster_m) *
                   round_up<i64>(columns, t.cluster_n);
  const bool would_be_idle = !may_split_k(asked_.epilogue) && ctas <= gpu_.sm.count;
  return (!tcgen05 && t.block_m - kWgmmaM >= rows_of_product_) ||
         min_of(t.block_n - step, kMostInstructionN) >= problem_.shape.n ||
         (wide && !would_be_idle);
}

/// Proposes the configuration once for each legal reduction; `parts` pieces share a tile.
void Proposals::add_reductions(KernelConfig config, i32 splits, i32 parts) {
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

/// Adds the first raster of each tile order, except rasters that the compiler rejects.
void Proposals::add(const KernelConfig& config, std::span<const Raster> rasters) {
  const u32 resident = static_cast<u32>(resident_workers(gpu_, config));
  TileScheduler s = make_tile_scheduler(problem_, config, resident);
  seen_.clear();
  orders_.clear();
  std::optional<bool> curve_compiles;
  for (const Raster& raster : rasters) {
    s.raster = raster;
    const Raster order = normal_order(s, splits_k(config.schedule) ? 0 : resident);
    if (std::ranges::find(seen_, order) != seen_.end()) {
      continue;
    }
    if (raster.kind == RasterKind::kHilbert) {
      KernelConfig on_curve = config;
      on_curve.raster = raster;
      if (!curve_compiles) {  // the kernel is legal in its first order
        curve_compiles = gpu_.compiler_rejections == nullptr ||
                         !any_rejects(*gpu_.compiler_rejections, asked_, of_operands(on_curve));
      }
      if (!*curve_compiles) {
        continue;
      }
    }
    seen_.push_back(order);
    orders_.push_back(raster);
  }
  KernelConfig first = of_operands(config);
  first.raster = orders_.front();
  candidates_.legal.add(first, orders_);
}

namespace {

std::string why_no_split_pays(const GpuSpec& gpu, const GemmProblem& asked,
                              const KernelConfig& asked_of) {
  const KernelConfig config = for_operands(asked.dtype, asked_of);
  const GemmProblem problem = as_run(asked, config);
  const i32 resident = resident_workers(gpu, config);
  const Tiling& t = config.tiling;
  return fmt::format(
      "no split of K is useful: tile={}x{}x{} has {} tiles of {} K blocks for {} workers, and {} "
      "needs "
      "{} and parts of at least {} K blocks",
      t.block_m, t.block_n, asked_of.tiling.block_k,
      make_tile_scheduler(problem, config, static_cast<u32>(resident)).num_tiles(),
      ceil_div<i64>(problem.shape.k, t.block_k), resident, to_text(config.schedule),
      traits_of(config.schedule).hybrid ? "a partial last wave after a full one"
                                        : "a wave that is not full",
      splits_equally(config.schedule) ? kFewestKBlocks : kMinKBlocks + 1);
}

}  // namespace

std::string why_rejected(const GpuSpec& gpu, const GemmProblem& problem, std::string_view reason,
                         const KernelConfig& config) {
  if (reason == kNoSplitPays) {
    return why_no_split_pays(gpu, problem, config);
  }
  if (reason != kNeverPays) {
    return why_not_legal(gpu, problem, config);
  }
  return config.store == Store::kDeferred
             ? "a smaller tile or cluster covers C as well, or no tile follows to store under"
             : "a smaller tile or cluster covers C as well";
}

}  // namespace tilecast
