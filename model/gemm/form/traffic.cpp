#include "model/gemm/form/traffic.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/base/math.h"
#include "model/form/panel_reuse.h"
#include "model/gemm/costs/dram_reads.h"
#include "model/gemm/costs/fused_epilogue.h"
#include "model/gemm/order/hilbert_order.h"
#include "model/gemm/order/operand_panels.h"
#include "model/gemm/problem/group_rows.h"

namespace tilecast {
namespace {

// Number of waves that are walked; later ones are extrapolated from their pattern. Groups along K
// may all differ: their waves are walked in runs spread over all groups.
constexpr u32 kWavesOfRun = 48;
constexpr u32 kRunsOfGroups = 16;
constexpr u32 kMostKept = 16384;  // maximum tiles of a cached curve

/// Sizes of A and B, and of the panels of them that a scheduler tile reads. Panels at the edge are
/// narrower, but a matrix counts as spread evenly over its panels.
struct Matrices {
  Bytes a, b;  // bytes over all GEMMs
  OperandPanels panels;

  Bytes operands() const { return a + b; }
};

/// Panel sizes of one operand: equal, unless each matrix of C has its own K.
std::vector<Bytes> panels_of(const GemmProblem& problem, Bytes operand, u32 panels) {
  std::vector<Bytes> all(panels, operand / panels);
  if (grouped_along_k(problem)) {
    const std::vector<i64>& rows = problem.groups->rows();
    const u32 each = panels / static_cast<u32>(rows.size());
    for (u32 panel = 0; panel < panels; ++panel) {
      all[panel] = operand * (static_cast<double>(rows[panel / each]) /
                              static_cast<double>(problem.shape.k) / each);
    }
  }
  return all;
}

/// Walks the tiles of `s`, whose order may already be known, in waves of `resident` workers. Each
/// panel spans the whole K.
WavesWalked walk_waves(const GemmProblem& problem, const TileScheduler& s,
                       const std::vector<TileCoord>* order, u32 resident, const Matrices& matrices,
                       Bytes usable) {
  const OperandPanels& panels = matrices.panels;
  const Bytes all = matrices.operands();
  PanelReuse a(panels_of(problem, matrices.a, panels.of_a()));
  PanelReuse b(panels_of(problem, matrices.b, panels.of_b()));
  const bool chunked = s.raster.walk == Walk::kChunked;
  const u32 waves = ceil_div(s.num_tiles(), resident);
  const u32 walked =
      std::min(waves, grouped_along_k(problem) ? kRunsOfGroups * kWavesOfRun : kWavesOfRun);
  double tiles = 0;
  Bytes distinct;  // bytes so far; a wave's requests for one panel count once
  u32 wave = 0;
  for (u32 step = 0; step < walked; ++step, ++wave) {
    if (step > 0 && step % kWavesOfRun == 0) {
      const u32 left_out = (waves - walked) / kRunsOfGroups;
      distinct += distinct * (1.0 * left_out / wave);
      wave += left_out;
    }
    Bytes fresh;
    for (u32 slot = 0; slot < resident; ++slot) {
      const u32 tile = chunked ? s.first(slot) + wave : wave * resident + slot;
      if (tile >= (chunked ? s.end(slot) : s.num_tiles())) {
        continue;
      }
      const TileCoord at = order != nullptr ? (*order)[tile] : s.coord(tile);
      tiles += 1;
      fresh += a.use(panels.a(at), wave, distinct, all, usable);
      fresh += b.use(panels.b(at), wave, distinct, all, usable);
    }
    distinct += fresh;
  }
  return {(a.read() + b.read()) * waves / walked, a.sharers(tiles), b.sharers(tiles), a.missing(),
          b.missing()};
}

Matrices matrices_of(const GemmProblem& problem, const KernelConfig& config) {
  const OperandPanels panels = OperandPanels::of_clusters(problem, config.tiling);
  const Bytes a{bytes_of_a(problem)};
  const Bytes b{bytes_of_b(problem)};
  return {a, b, panels};
}

/// Traffic that follows from the number of tiles, in any order.
GemmTraffic counted_traffic(const GemmProblem& problem, const KernelConfig& config,
                            const TileScheduler& s, const Matrices& matrices) {
  const Tiling& t = config.tiling;
  const RowsOfTiles rows = rows_of_tiles(problem, config);
  // Each GEMM reads its own matrix, or the one shared matrix. A group's last tiles also read rows
  // of the next group. Groups along K read only their part.
  const i64 rows_of_a =
      (grouped_along_k(problem) ? matrices_of_c(problem) : matrices_of_a(problem)) *
      problem.shape.m;
  const Bytes a =
      matrices.a * (static_cast<double>(rows.existing) / static_cast<double>(rows_of_a));
  const Bytes b_of_one = matrices.b / matrices.panels.matrices_of_b();
  GemmTraffic traffic{};
  traffic.l2_to_sm = a * s.tiles_n + b_of_one * s.tiles_m;
  traffic.sm_intake = a * static_cast<double>(ceil_div<i64>(problem.shape.n, t.block_n)) +
                      b_of_one * static_cast<double>(rows.tiles);
  traffic.l2_to_sm += epilogue_reads(problem, t);
  traffic.dram_write = Bytes{bytes_of_c(problem)};
  return traffic;
}

/// Adds the epilogue's reads to `of_operands`.
Bytes dram_read(const GemmProblem& problem, const GemmTraffic& traffic, Bytes of_operands) {
  return possible_dram_reads(problem, of_operands + Bytes{epilogue_bytes(problem)},
                             traffic.l2_to_sm);
}

}  // namespace

GemmTraffic least_traffic(const L2Spec& l2, const GemmProblem& problem, const KernelConfig& config,
                          i32 concurrent) {
  const TileScheduler s = make_tile_scheduler(problem, config, static_cast<u32>(concurrent));
  const Matrices matrices = matrices_of(problem, config);
  const u32 resident = std::min(static_cast<u32>(concurrent), s.num_tiles());
  // In a wave, a row panels of A and b column panels of B cover at most a * b tiles, and a A + b B
  // >= 2 sqrt(a b A B).
  const Bytes a_panel = matrices.a / matrices.panels.of_a();
  const Bytes b_panel = matrices.b / matrices.panels.of_b();
  const Bytes wave{2 * std::sqrt(resident * a_panel.value * b_panel.value)};
  const double kept =
      kept_in_l2(std::min(wave, matrices.operands()), l2.capacity * l2.usable_fraction);
  const u32 full_waves = s.num_tiles() / resident;
  GemmTraffic traffic = counted_traffic(problem, config, s, matrices);
  traffic.dram_read = dram_read(problem, traffic, wave * (full_waves * (1 - kept)));
  traffic.a_sharers = std::min(resident, s.num_tiles() / matrices.panels.of_a());
  traffic.b_sharers = std::min(resident, s.num_tiles() / matrices.panels.of_b());
  return traffic;
}

Bytes skewed_dram_read(const L2Spec& l2, const GemmTraffic& traffic, double skewed, Bytes between) {
  // Assume that half of the workers miss and reread from DRAM. On the stream-K problems of
  // validate/data/h200_sxm/splits the uncorrected cycle error is then 11.4 % (11.3 % if none
  // reread, 27.7 % if all do); the time error is 10.6 % (11.7 %, 24.9 %).
  constexpr double kAgain = 0.5;
  const double lost = 1 - kept_in_l2(between, l2.capacity * l2.usable_fraction);
  const Bytes asked_again = std::max(Bytes{}, traffic.l2_to_sm - traffic.dram_read);
  return traffic.dram_read + asked_again * (skewed * lost * kAgain);
}

GemmTraffic TrafficMemo::traffic(const KernelConfig& config, i32 concurrent) {
  const Tiling& t = config.tiling;
  const Key key{t.cluster_m * t.block_m, t.cluster_n * t.block_n, concurrent,
                config.raster.kind,      config.raster.group,     config.raster.walk};
  const TileScheduler s = make_tile_scheduler(problem_, config, static_cast<u32>(concurrent));
  const Matrices matrices = matrices_of(problem_, config);
  const auto known = [&]() -> std::optional<WavesWalked> {
    const std::lock_guard lock(reading_);
    const auto found = walked_.find(key);
    return found != walked_.end() ? std::optional(found->second) : std::nullopt;
  };
  std::optional<WavesWalked> walked = known();
  if (!walked) {
    walked =
        walk_waves(problem_, s, curve(s), std::min(static_cast<u32>(concurrent), s.num_tiles()),
                   matrices, l2_.capacity * l2_.usable_fraction);
    const std::lock_guard lock(reading_);
    walked_.emplace(key, *walked);
  }
  GemmTraffic traffic = counted_traffic(problem_, config, s, matrices);
  traffic.dram_read = dram_read(problem_, traffic, walked->read);
  traffic.a_sharers = walked->a_sharers;
  traffic.b_sharers = walked->b_sharers;
  traffic.a_missing = walked->a_missing;
  traffic.b_missing = walked->b_missing;
  return traffic;
}

const std::vector<TileCoord>* TrafficMemo::curve(const TileScheduler& tiles) {
  if (tiles.raster.kind != RasterKind::kHilbert || tiles.num_tiles() > kMostKept) {
    return nullptr;
  }
  const std::lock_guard lock(reading_);
  std::vector<TileCoord>& order = curves_[{tiles.tiles_m, tiles.tiles_n}];
  if (order.empty()) {
    order.reserve(tiles.num_tiles());
    for_each_hilbert_cell(static_cast<i32>(tiles.tiles_m), static_cast<i32>(tiles.tiles_n),
                          [&](HilbertCell cell) {
                            order.push_back({static_cast<u32>(cell.x), static_cast<u32>(cell.y)});
                          });
  }
  return &order;
}

}  // namespace tilecast
