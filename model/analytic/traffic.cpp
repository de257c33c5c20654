#include "model/analytic/traffic.h"

#include <algorithm>
#include <vector>

#include "model/base/math.h"

namespace tilecast {
namespace {

constexpr u32 kWavesWalked = 48;  // more waves repeat the pattern; the rest is extrapolated

/// One operand's panels: how far back, in bytes read by the chip, each was last used.
class PanelReuse {
 public:
  PanelReuse(u32 panels, double panel_bytes)
      : last_wave_(panels, -1), last_used_(panels), panel_bytes_(panel_bytes) {}

  /// True the first time in this wave; reads from DRAM what L2 no longer holds.
  bool use(u32 panel, i64 wave, double bytes_so_far, double all_bytes, double usable_bytes) {
    if (last_wave_[panel] == wave) {
      return false;
    }
    double kept = 0;
    if (last_wave_[panel] >= 0) {
      const double distance = std::min(bytes_so_far - last_used_[panel], all_bytes);
      kept = std::clamp(2 - distance / usable_bytes, 0.0, 1.0);
    }
    read_ += (1 - kept) * panel_bytes_;
    last_wave_[panel] = wave;
    last_used_[panel] = bytes_so_far;
    return true;
  }

  double read() const { return read_; }
  double panel_bytes() const { return panel_bytes_; }

 private:
  std::vector<i64> last_wave_;
  std::vector<double> last_used_;
  double panel_bytes_;
  double read_ = 0;
};

struct WalkResult {
  double read_bytes, requests_per_line;
};

/// `resident` workers at a time take the tiles of `s`; each panel spans the whole K.
WalkResult walk_waves(const TileScheduler& s, u32 resident, double a_panel_bytes,
                      double b_panel_bytes, double all_bytes, double usable_bytes) {
  PanelReuse a(s.tiles_m, a_panel_bytes);
  PanelReuse b(s.tiles_n, b_panel_bytes);
  const bool chunked = s.raster.kind == RasterKind::kChunked;
  const u32 waves = ceil_div(s.num_tiles(), resident);
  const u32 walked = std::min(waves, kWavesWalked);
  double bytes_so_far = 0;
  double requests = 0;
  double lines = 0;
  for (u32 wave = 0; wave < walked; ++wave) {
    double fresh = 0;
    for (u32 slot = 0; slot < resident; ++slot) {
      const u32 tile = chunked ? s.first(slot) + wave : wave * resident + slot;
      if (tile >= (chunked ? s.end(slot) : s.num_tiles())) {
        continue;
      }
      const TileCoord at = s.coord(tile);
      requests += a_panel_bytes + b_panel_bytes;
      if (a.use(at.m, wave, bytes_so_far, all_bytes, usable_bytes)) {
        fresh += a_panel_bytes;
      }
      if (b.use(at.n, wave, bytes_so_far, all_bytes, usable_bytes)) {
        fresh += b_panel_bytes;
      }
    }
    bytes_so_far += fresh;
    lines += fresh;
  }
  return {(a.read() + b.read()) * waves / walked, requests / lines};
}

}  // namespace

GemmTraffic gemm_traffic(const L2Spec& l2, const GemmProblem& problem, const KernelConfig& config,
                         i32 concurrent) {
  const GemmShape& shape = problem.shape;
  const Tiling& t = config.tiling;
  const double element = element_bytes(problem.dtype);
  const double k_bytes = static_cast<double>(shape.k) * element;
  const double a_bytes = static_cast<double>(shape.m) * k_bytes;
  const double b_bytes = static_cast<double>(shape.n) * k_bytes;
  const TileScheduler s = make_tile_scheduler(shape, config, static_cast<u32>(concurrent));

  GemmTraffic traffic{};
  traffic.l2_to_sm = Bytes{a_bytes * s.tiles_n + b_bytes * s.tiles_m};
  traffic.sm_intake = Bytes{a_bytes * static_cast<double>(ceil_div<i64>(shape.n, t.block_n)) +
                            b_bytes * static_cast<double>(ceil_div<i64>(shape.m, t.block_m))};
  traffic.dram_write = Bytes{static_cast<double>(shape.m) * static_cast<double>(shape.n) * element};

  // Edge panels are narrower: spread the matrix evenly over its panels.
  const u32 resident = std::min(static_cast<u32>(concurrent), s.num_tiles());
  const WalkResult walk = walk_waves(s, resident, a_bytes / s.tiles_m, b_bytes / s.tiles_n,
                                     a_bytes + b_bytes, l2.capacity.value * l2.usable_fraction);
  traffic.dram_read = Bytes{std::clamp(walk.read_bytes, a_bytes + b_bytes,
                                       std::max(a_bytes + b_bytes, traffic.l2_to_sm.value))};
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
