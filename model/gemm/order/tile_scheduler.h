// Defines which output tile each worker computes, and in what order. Kernels, analytic model and
// tests all use this file; there is no other copy.
//
// A worker is a cluster of CTAs (usually of one CTA), not an SM: the hardware chooses the SM. Tiles
// here are cluster tiles; a CTA adds its position in the cluster. Edge tiles may be partly or, in a
// cluster, wholly outside C: loads fill zeros, stores are clipped. In a batch the GEMMs' rows of
// tiles are concatenated, so the raster orders GEMMs too: swizzle groups as wide as one
// GEMM's rows of tiles take one GEMM after another. Groups' rows of tiles are also
// concatenated, as many as each group needs: no tile straddles two groups. Checked by:
// tile_scheduler_test.cpp (exact cover, hand-drawn orders) and, on the device,
// validate/measure/gemm/tile_trace_test.cpp (the kernel walked exactly these tiles).
#pragma once

#include "model/base/fast_divisor.h"
#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/base/math.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/order/hilbert.h"
#include "model/gemm/order/raster.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

struct TileCoord {
  u32 m, n;

  constexpr bool operator==(const TileCoord&) const = default;
};

/// Divisors for positions in swizzle groups: tiles per group, its width, the last group's width.
struct BandDivisors {
  u32 band, width, last_width;

  TILECAST_HD static constexpr BandDivisors of(u32 tiles_m, u32 tiles_n, const Raster& raster) {
    const bool along_m = raster.kind == RasterKind::kGroupedM;
    const u32 across = along_m ? tiles_m : tiles_n;  // dimension that is divided into groups
    const u32 along = along_m ? tiles_n : tiles_m;
    // A group is at most as wide as C, so that its tiles fit in num_tiles().
    const u32 group = min_of(static_cast<u32>(raster.group), across);
    const u32 left = across % group;
    return {group * along, group, left == 0 ? group : left};
  }
};

struct TileScheduler {
  u32 tiles_m, tiles_n;  // cluster tiles
  u32 workers;
  Raster raster;
  u32 chunk;                      // tiles per worker if chunked
  FastDivisor band;               // tiles per swizzle group
  FastDivisor width, last_width;  // width of a swizzle group, and of the last one, in tiles

  /// Requires at least one tile and one worker.
  TILECAST_HD static constexpr TileScheduler of(u32 tiles_m, u32 tiles_n, u32 workers,
                                                const Raster& raster) {
    const BandDivisors bands = BandDivisors::of(tiles_m, tiles_n, raster);
    return {.tiles_m = tiles_m,
            .tiles_n = tiles_n,
            .workers = workers,
            .raster = raster,
            .chunk = ceil_div(tiles_m * tiles_n, workers),
            .band = FastDivisor::of(bands.band),
            .width = FastDivisor::of(bands.width),
            .last_width = FastDivisor::of(bands.last_width)};
  }

  TILECAST_HD constexpr u32 num_tiles() const { return tiles_m * tiles_n; }

  /// A worker runs tiles first(w), then next(...) while the result is below end(w).
  TILECAST_HD constexpr u32 first(u32 worker) const {
    return raster.walk == Walk::kChunked ? chunk_begin(worker) : worker;
  }
  TILECAST_HD constexpr u32 next(u32 linear) const {
    return raster.walk == Walk::kChunked ? linear + 1 : linear + workers;
  }
  TILECAST_HD constexpr u32 end(u32 worker) const {
    return raster.walk == Walk::kChunked ? chunk_begin(worker + 1) : num_tiles();
  }

  TILECAST_HD constexpr TileCoord coord(u32 linear) const {
    return raster.kind == RasterKind::kHilbert ? on_curve(linear) : in_bands(linear);
  }
  /// Returns tile `linear` of a curve, from its known order.
  TILECAST_HD constexpr TileCoord on_curve(u32 linear) const {
    const HilbertCell cell = hilbert_cell(static_cast<i32>(tiles_m), static_cast<i32>(tiles_n),
                                          static_cast<i32>(linear));
    return {static_cast<u32>(cell.x), static_cast<u32>(cell.y)};
  }
  TILECAST_HD constexpr TileCoord in_bands(u32 linear) const {
    const bool along_m = raster.kind == RasterKind::kGroupedM;
    const u32 index = band.quotient(linear);
    const u32 in_band = linear - index * band.divisor;
    const u32 start = index * width.divisor;
    const bool last = start + width.divisor >= (along_m ? tiles_m : tiles_n);
    const FastDivisor across = last ? last_width : width;
    const u32 b = across.quotient(in_band);
    const u32 a = start + in_band - b * across.divisor;
    return along_m ? TileCoord{a, b} : TileCoord{b, a};
  }

 private:
  /// Returns the first tile of a worker's chunk. Chunks have equal length, so workers begin in step
  /// and share panels; the last chunks may be short or empty.
  TILECAST_HD constexpr u32 chunk_begin(u32 worker) const {
    return min_of(worker * chunk, num_tiles());
  }
};

/// Rows and columns of cluster tiles in one GEMM.
TILECAST_HD constexpr u32 tile_rows(const GemmShape& shape, const Tiling& t) {
  return static_cast<u32>(ceil_div<i64>(shape.m, i64{t.block_m} * t.cluster_m));
}

TILECAST_HD constexpr u32 tile_columns(const GemmShape& shape, const Tiling& t) {
  return static_cast<u32>(ceil_div<i64>(shape.n, i64{t.block_n} * t.cluster_n));
}

/// Returns a scheduler with one worker per tile or, for a persistent grid, as many workers as fit
/// at once.
TILECAST_HD constexpr TileScheduler tile_scheduler_over(u32 tiles_m, u32 tiles_n,
                                                        const KernelConfig& config,
                                                        u32 max_resident_workers) {
  const u32 tiles = tiles_m * tiles_n;
  const u32 workers = config.grid == Grid::kResident ? min_of(max_resident_workers, tiles) : tiles;
  return TileScheduler::of(tiles_m, tiles_n, workers, config.raster);
}
/// Returns the scheduler of the cluster tiles that cover C.
TILECAST_HD constexpr TileScheduler make_tile_scheduler(const GemmShape& shape, i64 products,
                                                        const KernelConfig& config,
                                                        u32 max_resident_workers) {
  const Tiling& t = config.tiling;
  return tile_scheduler_over(tile_rows(shape, t) * static_cast<u32>(products),
                             tile_columns(shape, t), config, max_resident_workers);
}

#ifndef __CUDACC_RTC__  // group sizes are known only on the host
/// Rows of cluster tiles in the whole problem.
u32 tile_rows(const GemmProblem& problem, const Tiling& t);
TileScheduler make_tile_scheduler(const GemmProblem& problem, const KernelConfig& config,
                                  u32 max_resident_workers);
#endif

}  // namespace tilecast
