// Which output tile each worker computes, and in what order.
// The kernels, the closed forms and the tests all call this file; there is no other copy.
//
// A worker is a cluster of CTAs (of one CTA, mostly) and never an SM: which SM runs it is the
// hardware's choice. Tiles here are cluster tiles; a CTA adds its place in the cluster. Edge tiles
// may be partly or, in a cluster, wholly outside of C: loads fill zeros, stores are clipped.
// Checked by: tile_scheduler_test.cpp (exact cover, hand-drawn orders) and, on the device,
// validate/measure/tile_trace_test.cpp (the kernel walked exactly these tiles).
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/base/math.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"
#include "model/tile/raster.h"

namespace tilecast {

struct TileCoord {
  u32 m, n;

  constexpr bool operator==(const TileCoord&) const = default;
};

struct TileScheduler {
  u32 tiles_m, tiles_n;  // cluster tiles
  u32 workers;
  Raster raster;

  TILECAST_HD constexpr u32 num_tiles() const { return tiles_m * tiles_n; }

  /// A worker runs tiles first(w), then next(...) while the result is below end(w).
  TILECAST_HD constexpr u32 first(u32 worker) const {
    return raster.kind == RasterKind::kChunked ? chunk_begin(worker) : worker;
  }
  TILECAST_HD constexpr u32 next(u32 linear) const {
    return raster.kind == RasterKind::kChunked ? linear + 1 : linear + workers;
  }
  TILECAST_HD constexpr u32 end(u32 worker) const {
    return raster.kind == RasterKind::kChunked ? chunk_begin(worker + 1) : num_tiles();
  }

  TILECAST_HD constexpr TileCoord coord(u32 linear) const {
    if (raster.kind == RasterKind::kChunked) {
      return {linear % tiles_m, linear / tiles_m};
    }
    const bool along_m = raster.kind == RasterKind::kGroupedM;
    const u32 across = along_m ? tiles_m : tiles_n;  // the side cut into bands
    const u32 along = along_m ? tiles_n : tiles_m;
    // A band is no wider than C, which also keeps group * along within num_tiles().
    const u32 group = min_of(static_cast<u32>(raster.group), across);
    const u32 band_start = linear / (group * along) * group;
    const u32 band_width = min_of(across - band_start, group);  // the last band may be narrow
    const u32 in_band = linear - band_start * along;
    const u32 a = band_start + in_band % band_width;
    const u32 b = in_band / band_width;
    return along_m ? TileCoord{a, b} : TileCoord{b, a};
  }

 private:
  /// Chunks of equal length, so that they start aligned and share panels; the last workers may find
  /// a short one, or none.
  TILECAST_HD constexpr u32 chunk_begin(u32 worker) const {
    return min_of(worker * ceil_div(num_tiles(), workers), num_tiles());
  }
};

/// Cluster tiles that cover C, and a worker for each; of persistent ones as many as are resident.
TILECAST_HD constexpr TileScheduler make_tile_scheduler(const GemmShape& shape,
                                                        const KernelConfig& config,
                                                        u32 max_resident_workers) {
  const Tiling& t = config.tiling;
  TileScheduler s{};
  s.tiles_m = static_cast<u32>(ceil_div<i64>(shape.m, i64{t.block_m} * t.cluster_m));
  s.tiles_n = static_cast<u32>(ceil_div<i64>(shape.n, i64{t.block_n} * t.cluster_n));
  s.raster = config.raster;
  s.workers =
      is_persistent(config.schedule) ? min_of(max_resident_workers, s.num_tiles()) : s.num_tiles();
  return s;
}

}  // namespace tilecast
