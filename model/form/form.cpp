#include "model/form/form.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "model/base/smooth_max.h"
#include "model/form/ends.h"

namespace tilecast {
namespace {

// Fraction of the kernel's time above which the main loop is reported as the bottleneck. It affects
// only the reported word, no time.
constexpr double kMainLoopMatters = 0.5;

/// Tiles of the busiest SM: full rounds of the resident CTAs, then a partial round.
struct BusiestSm {
  Cycles main_loops, between;
};

/// Blocks of the busiest SM, over all its CTAs.
double blocks_of_busiest(const Work& work) {
  return work.pieces ? work.pieces->blocks * work.ctas
                     : work.blocks * static_cast<double>(work.tiles);
}

BusiestSm busiest_sm(const Loop& loop, const LoadTimes& loads, const BlockTime& block,
                     const TileEnds& ends, const Work& work) {
  if (work.pieces) {
    return {block.time * work.pieces->blocks,
            ends.between * std::max(0.0, work.pieces->pieces - 1)};
  }
  const double tiles = static_cast<double>(work.tiles);
  const double full = std::floor(tiles / work.ctas);
  const double left = tiles - full * work.ctas;
  BusiestSm sm{block.time * (work.blocks * full), ends.between * (full - (left > 0 ? 0 : 1))};
  if (left > 0) {
    sm.main_loops += block_time(loop, loads, left).time * work.blocks;
  }
  return sm;
}

/// Time of the busiest SM's store port for its tiles; CTAs and warpgroups share it. Results of
/// shared tiles are not counted.
Cycles store_port(const Work& work) {
  const TileStore& store = work.store;
  return work.pieces
             ? Cycles{}
             : store.read * (store.chunks * store.warpgroups * static_cast<double>(work.tiles));
}

Limiter longest_of(std::initializer_list<std::pair<Cycles, Limiter>> parts) {
  return std::ranges::max_element(parts, {}, &std::pair<Cycles, Limiter>::first)->second;
}

}  // namespace

ClosedForm form(const GpuSpec& gpu, Hertz sm_clock, const Loop& loop, const Work& work) {
  const LoadTimes loads = load_times(gpu, sm_clock, loop, work);
  const BlockTime block = block_time(loop, loads, work.ctas);
  const TileEnds tile_end = tile_ends(gpu, sm_clock, loop, loads, block, work);
  const BusiestSm sm = busiest_sm(loop, loads, block, tile_end, work);
  const Cycles reduction = work.pieces ? work.pieces->reduction : Cycles{};
  const Cycles stores = sm.between + tile_end.after_last;
  const Cycles in_turn = sm.main_loops + stores + reduction, port = store_port(work);
  const Cycles tiles = std::max(in_turn, port);
  const Cycles dram = cycles_of(work.dram, sm_clock);
  const Cycles ends = work.launch + tile_end.first_load + tile_end.last_store;
  const double blocks_per_sm = work.all_blocks / gpu.sm.count;
  const Cycles l2 = loads.l2 * (work.all_blocks / work.sms);

  ClosedForm form{};
  // Tiles and DRAM traffic overlap, but not fully if they take about equal time. If a tile's blocks
  // load during the last tile's epilogue, L2's output may be the bottleneck of the kernel without
  // being that of any main loop.
  const Cycles unbound = ends + (work.streams ? smooth_max<kQueued>({tiles, dram})
                                              : smooth_max<kInBursts>({tiles, dram}));
  form.cycles = std::max(unbound, l2);
  form.least = std::min(form.cycles,
                        ends + stores + pipe_time(loop, Pipe::kTensor) * blocks_of_busiest(work));
  if (l2 > unbound) {
    form.limiter = Limiter::kL2;
  } else if (dram > tiles) {
    form.limiter = Limiter::kDram;
  } else if (port > in_turn) {
    form.limiter = Limiter::kEpilogue;
  } else if (sm.main_loops < form.cycles * kMainLoopMatters) {
    form.limiter = longest_of(
        {{ends, Limiter::kLaunch}, {stores, Limiter::kEpilogue}, {reduction, Limiter::kReduction}});
  } else {
    form.limiter = block.limiter;
  }
  const Cycles tensor = compute_cycles(work.flops / gpu.sm.count, tensor_rate(gpu));
  Bytes stages;
  for (const LoopOperand& operand : loop.operands) {
    stages += operand.stage * (operand.once_a_tile ? 1 / work.blocks : 1);
  }
  form.shares = {tensor / form.cycles, operand_time(loop) * blocks_per_sm / form.cycles,
                 transfer_cycles(stages, gpu.machine->intake) * blocks_per_sm / form.cycles,
                 l2 / form.cycles, dram / form.cycles};
  form.parts = {.ends = ends,
                .main_loops = sm.main_loops,
                .dram = dram,
                .step = block.time,
                .mma = pipe_time(loop, Pipe::kTensor) * work.ctas,
                .l2 = loads.l2 * work.ctas,
                .load = loads.stage(),
                .ctas = work.ctas};
  return form;
}

}  // namespace tilecast
