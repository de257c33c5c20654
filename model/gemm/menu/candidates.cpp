#include "model/gemm/menu/candidates.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "model/base/math.h"
#include "model/base/parallel.h"
#include "model/gemm/config/register_plan.h"
#include "model/gemm/config/schedule_text.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/config/tensor_memory.h"
#include "model/gemm/costs/occupancy.h"
#include "model/gemm/costs/tensor_operation.h"
#include "model/gemm/menu/proposals.h"
#include "model/gemm/menu/tile_widths.h"
#include "model/gemm/order/tile_scheduler.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/swapped_operands.h"

namespace tilecast {
namespace {

// Tile heights with swapped operands; tile_widths.h has the others and chooses the widths.
constexpr i32 kSwappedBlockM[] = {64, 128, 192, 256};
constexpr i32 kBlockK[] = {64, 128, 256};
// Longest K block. It is tried for kernels without a ring, and for rings whose stages stay small
// because tiles have few rows.
constexpr i32 kLongBlockK = 256;
constexpr i32 kMostLongStage = 48 * 1024;  // bytes of such a stage
constexpr i32 kMostMenuStages = 8;
constexpr i32 kMenuWarpgroups[] = {1, 2, 3};
constexpr i32 kFewestChunkSlots = 2;
// With fewer stages, a stage more is worth storing C's chunks one at a time.
constexpr i32 kEnoughStages = 4;
// Maximum columns of a warpgroup that promotes a K block's partial sums, which need registers
// besides the accumulators: with block scales, with K split, otherwise.
constexpr i32 kMostScaledColumns = 192, kMostSplitColumns = 160, kMostPromotedColumns = 208;
// Two CTAs share an SM if each has at most this many outputs.
constexpr i32 kMostSharedOutputs = 128 * 128;
constexpr struct {
  i32 m, n;
} kClusters[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}};
// Widths for tcgen05 kernels. One instruction covers a tile, so there are few.
constexpr i32 kTcgen05BlockN[] = {64, 128, 192, 256};
constexpr i32 kTcgen05BlockK[] = {64, 128};

// Tile sizes for mma.sync kernels, with operands of two bytes.
constexpr i32 kMmaSyncBlockM[] = {64, 128, 256};
constexpr i32 kMmaSyncBlockN[] = {32, 64, 96, 128, 192, 256};
constexpr i32 kMmaSyncBlockK[] = {32, 64};
constexpr i32 kMmaSyncMostCtas = 3;
constexpr i32 kBorrowedSlots[] = {0};

struct Split {
  i32 m, n;
};

/// Splits a tile among `warpgroups`: along M if each gets whole wgmma rows, else along N.
Split split_of(i32 block_m, i32 warpgroups) {
  return block_m % (warpgroups * kWgmmaM) == 0 ? Split{warpgroups, 1} : Split{1, warpgroups};
}

/// Adds the maximum number of stages and one fewer, to leave slack for jitter. For a kernel with a
/// ring, adds each way to stage C.
void add_stages(const GpuSpec& gpu, KernelConfig config, std::span<const i32> c_slots,
                Proposals& proposals) {
  i32 with_two = 0;  // stages that two slots of C leave room for
  for (const i32 slots : c_slots) {
    config.tiling.c_slots = slots;
    config.tiling.stages = 0;
    const SmemLayout empty = smem_layout(config.schedule, config.tiling);
    const i32 room = shared_memory_for_each_of(gpu, config.ctas_per_sm) - empty.total_bytes -
                     proposals.table_bytes() -
                     max_of(0, c_slots_beside(config, c_column_bytes(proposals.problem())));
    const i32 stage = empty.a_stage_bytes + empty.b_stage_bytes + 2 * kBarrierBytes +
                      proposals.scale_bytes_of_stage(config.tiling);
    const i32 most = min_of(kMostMenuStages, room / stage);
    const bool for_a_stage = slots == 1 && config.inflight > 0 && with_two > 0;
    if (for_a_stage && (most == with_two || with_two >= kEnoughStages)) {
      continue;
    }
    with_two = slots == kFewestChunkSlots ? most : 0;
    for (i32 stages = most; stages >= max_of(2, most - 1); --stages) {
      config.tiling.stages = stages;
      proposals.add_orders(config);
      if (for_a_stage || splits_k(config.schedule)) {
        break;
      }
    }
    if (most < 2) {
      config.tiling.stages = 2;
      proposals.add_orders(config);  // rejected and counted
    }
  }
}

/// Ways to stage C: chunk by chunk, the whole tile at once, or aliasing the ring. Deferred stores
/// go chunk by chunk.
std::vector<i32> c_slot_menu(const KernelConfig& config) {
  std::vector<i32> slots;
  if (config.grid == Grid::kTiles ||
      (traits_of(config.schedule).borrows_b_stages && cluster_size(config.tiling) == 1)) {
    slots.push_back(0);
  }
  const i32 chunks = c_chunks(config.schedule, config.tiling);
  slots.push_back(min_of(kFewestChunkSlots, chunks));
  if (chunks > 1) {
    slots.push_back(1);  // may allow one more stage
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
    if (cluster.m > 1 && config.producer_registers == kFewestProducerRegisters) {
      continue;  // spills
    }
    config.tiling.cluster_m = cluster.m;
    config.tiling.cluster_n = cluster.n;
    add_stages(gpu, config, c_slot_menu(config), proposals);
  }
}

/// The default number of registers. For ping_pong the minimum, if the default leaves too few for
/// accumulators of 200 columns. Kernels that spill with the minimum (two CTAs per SM, cooperative)
/// keep the default.
i32 producer_registers(const GpuSpec& gpu, KernelConfig config, i32 consumers) {
  if (!has_producer_warpgroup(config.schedule)) {
    return 0;
  }
  const i32 usual = config.producer_registers = default_producer_registers(consumers);
  if (traits_of(config.schedule).tiles_at_once == 1 || config.ctas_per_sm > 1 ||
      registers_suffice(gpu, config)) {
    return usual;
  }
  config.producer_registers = kFewestProducerRegisters;
  return registers_suffice(gpu, config) ? kFewestProducerRegisters : usual;
}

/// Adds every way to run one tile: split, occupancy, clusters, staging, grid.
void add_tile(const GpuSpec& gpu, KernelConfig config, Proposals& proposals) {
  Tiling& t = config.tiling;
  const bool promoted = promotes(proposals.problem());
  const i32 most_columns = has_block_scales(proposals.problem().epilogue) ? kMostScaledColumns
                           : splits_k(config.schedule)                    ? kMostSplitColumns
                                                                          : kMostPromotedColumns;
  const bool shares = t.block_m * t.block_n <= kMostSharedOutputs;
  const i32 n_step = t.block_n % kInstructionNStep == 0 ? kInstructionNStep : finest_n_step();
  for (const i32 warpgroups : kMenuWarpgroups) {
    const Split split = promoted && t.block_n > most_columns ? Split{1, warpgroups}
                                                             : split_of(t.block_m, warpgroups);
    if (traits_of(config.schedule).tiles_at_once > 1 ? warpgroups > 1
                                                     : t.block_n % (split.n * n_step) != 0) {
      continue;
    }
    t.warpgroups_m = split.m;
    t.warpgroups_n = split.n;
    const i32 consumers = consumer_warpgroups(config.schedule, t);
    for (i32 ctas = 1; ctas <= (shares ? 2 : 1); ++ctas) {
      config.ctas_per_sm = ctas;
      config.producer_registers = producer_registers(gpu, config, consumers);
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

void add_rows(const GpuSpec& gpu, Schedule schedule, i32 block_m, Proposals& proposals) {
  KernelConfig config = for_operands(proposals.problem().dtype, fixed_by_schedule(schedule));
  const ScheduleTraits traits = traits_of(schedule);
  for (const i32 block_n : proposals.swaps_operands()
                               ? swapped_tile_widths(gpu, proposals.problem(), schedule, block_m,
                                                     proposals.breadth().unprofitable)
                               : tile_widths(gpu, proposals.problem(), schedule, block_m)) {
    for (const i32 halves : kBlockK) {
      config.tiling.block_m = block_m;
      config.tiling.block_n = block_n;
      config.tiling.block_k = halves * kHalfBytes / config.tiling.operand_bytes;
      if (halves == kLongBlockK && has_ring(schedule) &&
          (block_m + block_n) * halves * kHalfBytes > kMostLongStage) {
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

/// Adds every way to run one tile on tcgen05: by one CTA or a pair, with each staging of C; for
/// warp_specialized also accumulator sets and grids.
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
        if (accumulators == 1 || grid != Grid::kTiles) {  // one tile needs one accumulator set
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

/// Adds every way to run one tile with mma.sync: warpgroups that share it, CTAs per SM, stages.
void add_mma_sync(const GpuSpec& gpu, Schedule schedule, i32 block_m, Proposals& proposals) {
  KernelConfig config = for_operands(proposals.problem().dtype, fixed_by_schedule(schedule));
  Tiling& t = config.tiling;
  t.block_m = block_m;
  for (const i32 block_n : kMmaSyncBlockN) {
    for (const i32 halves : kMmaSyncBlockK) {
      t.block_n = block_n;
      t.block_k = halves * kHalfBytes / t.operand_bytes;
      for (const Split split : {Split{1, 1}, Split{1, 2}, Split{2, 1}}) {
        t.warpgroups_m = split.m;
        t.warpgroups_n = split.n;
        if (block_m % (split.m * kWgmmaM) != 0 || block_n % (split.n * kInstructionNStep) != 0) {
          continue;
        }
        const i32 most = min_of(kMmaSyncMostCtas, 2 * kMostSharedOutputs / (block_m * block_n));
        for (config.ctas_per_sm = 1; config.ctas_per_sm <= max_of(1, most); ++config.ctas_per_sm) {
          add_stages(gpu, config, kBorrowedSlots, proposals);
        }
      }
    }
  }
}

/// Part of the search that one thread works on.
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
    const bool mma_sync = uses_mma_sync(schedule);
    for (const i32 block_m : mma_sync ? std::span<const i32>(kMmaSyncBlockM) : kTileHeights) {
      parts.push_back({schedule, block_m});
    }
    for (const i32 block_m : kSwappedBlockM) {
      if (swaps && has_ring(schedule) && !mma_sync) {
        parts.push_back({schedule, block_m, OperandOrder::kSwapped});
      }
    }
  }
  return parts;
}

/// Concatenates the lists of all parts.
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
    const std::size_t before = all.legal.size();
    for (const auto& [config, begin, end, first] : own.legal.kernels) {
      kernels.push_back({config, before + begin, before + end, orders.size() + first});
    }
    orders.insert(orders.end(), own.legal.orders.begin(), own.legal.orders.end());
    all.add_all(own);
  }
  return all;
}

}  // namespace

bool is_on_menu(const GpuSpec& gpu, Schedule schedule) {
  return has_ring(schedule) && traits_of(schedule).tensor_core == menu_tensor_core(gpu);
}

std::vector<Schedule> menu_schedules(const GpuSpec& gpu, bool all) {
  std::vector<Schedule> menu;
  std::ranges::copy_if(kEverySchedule, std::back_inserter(menu), [&](Schedule schedule) {
    return is_on_menu(gpu, schedule) ||
           (all && traits_of(schedule).tensor_core == menu_tensor_core(gpu));
  });
  return menu;
}

CandidateKernels enumerate_kernels(const GpuSpec& gpu, const GemmProblem& problem,
                                   const std::vector<Schedule>& asked_of, bool all,
                                   unsigned threads) {
  const bool swaps =
      c_rows_allow_tma(problem) && can_swap_operands(ProblemKind::of(transposed(problem)),
                                                     fixed_by_schedule(Schedule::kPipelined));
  const auto propose = [&](bool unprofitable_too) {
    const std::vector<Schedule> schedules =
        asked_of.empty() ? menu_schedules(gpu, unprofitable_too) : asked_of;
    const auto has = [&](Schedule schedule) {
      return std::ranges::find(schedules, schedule) != schedules.end();
    };
    const bool streams_all = has(Schedule::kStreamK), splits_equally = has(Schedule::kSplitK);
    const std::vector<MenuPart> parts =
        menu_parts(schedules, swaps && (unprofitable_too || swapping_pays(problem)));
    std::vector<CandidateKernels> of_parts(parts.size());
    // The last parts propose most kernels, so they start first.
    parallel_for(parts.size(), threads, [&](std::size_t before) {
      const std::size_t i = parts.size() - 1 - before;
      const auto [schedule, block_m, operands] = parts[i];
      Proposals proposals(gpu, problem, operands,
                          {unprofitable_too, all, streams_all, splits_equally});
      uses_tcgen05(schedule)    ? add_tcgen05(gpu, schedule, proposals)
      : uses_mma_sync(schedule) ? add_mma_sync(gpu, schedule, block_m, proposals)
                                : add_rows(gpu, schedule, block_m, proposals);
      of_parts[i] = proposals.take();
    });
    return joined(of_parts);
  };
  CandidateKernels candidates = propose(all);
  if (candidates.legal.kernels.empty() && !all) {
    candidates = propose(true);
  }
  return candidates;
}

Candidates enumerate_candidates(const GpuSpec& gpu, const GemmProblem& problem,
                                const std::vector<Schedule>& schedules, bool all,
                                unsigned threads) {
  CandidateKernels found = enumerate_kernels(gpu, problem, schedules, all, threads);
  Candidates candidates{std::move(static_cast<Rejections<KernelConfig>&>(found)), {}};
  candidates.legal.reserve(found.legal.size());
  for (const KernelList::Kernel& kernel : found.legal.kernels) {
    for (std::size_t order = kernel.begin; order < kernel.end; ++order) {
      candidates.legal.push_back(found.legal.candidate(kernel, order));
    }
  }
  return candidates;
}

void KernelList::add(const KernelConfig& config, std::span<const Raster> own) {
  if (kernels.empty() || !std::ranges::equal(own, orders_of(kernels.back()))) {
    orders.insert(orders.end(), own.begin(), own.end());
  }
  kernels.push_back({config, size(), size() + own.size(), orders.size() - own.size()});
}

KernelList kernels_of(std::span<const KernelConfig> candidates) {
  KernelList list;
  std::vector<Raster> orders;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    orders.push_back(candidates[i].raster);
    KernelConfig first = candidates[i];
    first.raster = orders.front();
    KernelConfig next = i + 1 < candidates.size() ? candidates[i + 1] : KernelConfig{};
    next.raster = first.raster;
    if (i + 1 == candidates.size() || !(next == first)) {
      list.add(first, orders);
      orders.clear();
    }
  }
  return list;
}

}  // namespace tilecast
