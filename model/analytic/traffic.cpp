#include "model/analytic/traffic.h"

#include <algorithm>
#include <vector>

#include "model/base/math.h"

namespace tilecast {
namespace {

constexpr u32 kWavesWalked = 48;  // more waves repeat the pattern; the rest is extrapolated

/// One operand's panels: how far back, in distinct bytes that the waves asked for, each was last
/// used.
class PanelReuse {
 public:
  PanelReuse(u32 panels, Bytes panel) : last_wave_(panels, -1), last_used_(panels), panel_(panel) {}

  /// True the first time in this wave; reads from DRAM what L2 no longer holds.
  bool use(u32 panel, i64 wave, Bytes so_far, Bytes all, Bytes usable) {
    if (last_wave_[panel] == wave) {
      return false;
    }
    double kept = 0;
    if (last_wave_[panel] >= 0) {
      const Bytes distance = std::min(so_far - last_used_[panel], all);
      kept = std::clamp(2 - distance / usable, 0.0, 1.0);
    }
    read_ += (1 - kept) * panel_;
    last_wave_[panel] = wave;
    last_used_[panel] = so_far;
    return true;
  }

  Bytes read() const { return read_; }

 private:
  std::vector<i64> last_wave_;
  std::vector<Bytes> last_used_;
  Bytes panel_;
  Bytes read_;
};

struct WalkResult {
  Bytes read;
  double requests_per_line;
};

/// `resident` workers at a time take the tiles of `s`; each panel spans the whole K.
WalkResult walk_waves(const TileScheduler& s, u32 resident, Bytes a_panel, Bytes b_panel, Bytes all,
                      Bytes usable) {
  PanelReuse a(s.tiles_m, a_panel);
  PanelReuse b(s.tiles_n, b_panel);
  const bool chunked = s.raster.kind == RasterKind::kChunked;
  const u32 waves = ceil_div(s.num_tiles(), resident);
  const u32 walked = std::min(waves, kWavesWalked);
  Bytes requests;
  Bytes distinct;  // so far: the requests with those of one wave for one panel merged
  for (u32 wave = 0; wave < walked; ++wave) {
    Bytes fresh;
    for (u32 slot = 0; slot < resident; ++slot) {
      const u32 tile = chunked ? s.first(slot) + wave : wave * resident + slot;
      if (tile >= (chunked ? s.end(slot) : s.num_tiles())) {
        continue;
      }
      const TileCoord at = s.coord(tile);
      requests += a_panel + b_panel;
      if (a.use(at.m, wave, distinct, all, usable)) {
        fresh += a_panel;
      }
      if (b.use(at.n, wave, distinct, all, usable)) {
        fresh += b_panel;
      }
    }
    distinct += fresh;
  }
  return {(a.read() + b.read()) * waves / walked, requests / distinct};
}

}  // namespace

GemmTraffic gemm_traffic(const L2Spec& l2, const GemmProblem& problem, const KernelConfig& config,
                         i32 concurrent) {
  const GemmShape& shape = problem.shape;
  const Tiling& t = config.tiling;
  const double element = element_bytes(problem.dtype);
  const double k_bytes = static_cast<double>(shape.k) * element;
  const Bytes a{static_cast<double>(shape.m) * k_bytes};
  const Bytes b{static_cast<double>(shape.n) * k_bytes};
  const TileScheduler s = make_tile_scheduler(shape, config, static_cast<u32>(concurrent));

  GemmTraffic traffic{};
  traffic.l2_to_sm = a * s.tiles_n + b * s.tiles_m;
  traffic.sm_intake = a * static_cast<double>(ceil_div<i64>(shape.n, t.block_n)) +
                      b * static_cast<double>(ceil_div<i64>(shape.m, t.block_m));
  traffic.dram_write = Bytes{static_cast<double>(shape.m) * static_cast<double>(shape.n) * element};

  // Edge panels are narrower: spread the matrix evenly over its panels.
  const u32 resident = std::min(static_cast<u32>(concurrent), s.num_tiles());
  const WalkResult walk = walk_waves(s, resident, a / s.tiles_m, b / s.tiles_n, a + b,
                                     l2.capacity * l2.usable_fraction);
  traffic.dram_read = std::clamp(walk.read, a + b, std::max(a + b, traffic.l2_to_sm));
  traffic.requests_per_line = walk.requests_per_line;
  return traffic;
}

const GemmTraffic& TrafficMemo::traffic(const KernelConfig& config, i32 concurrent) {
  const Tiling& t = config.tiling;
  const Key key{t.cluster_m * t.block_m,
                t.cluster_n * t.block_n,
                t.block_m,
                t.block_n,
                concurrent,
                config.raster.kind,
                config.raster.group,
                is_persistent(config.schedule)};
  const auto found = known_.find(key);
  return found != known_.end()
             ? found->second
             : known_.emplace(key, gemm_traffic(l2_, problem_, config, concurrent)).first->second;
}

}  // namespace tilecast
