// Computes the bytes that a GEMM moves, by walking the kernel's tile scheduler.
//
// L2-to-SM traffic is arithmetic: each worker's tile reads its rows of A and columns of B once;
// out-of-bounds zeros cost nothing. DRAM reads follow from reuse: tiles run in waves of the
// resident workers, and a panel (the whole K of a tile's rows or columns) last used less than the
// usable L2 capacity ago hits, one used twice that ago misses, with linear interpolation in
// between. Buffers are cold, as in the measurements (rotating).
//
// Not modelled: workers of a wave drifting apart in K, which costs row-major orders half of their
// reuse and small tiles more (docs/dev/known-gaps.md); C's share of L2; the two partitions; waves
// after the 48th, which are assumed to repeat the earlier ones; for groups along K, 768 waves
// spread over the whole kernel stand for all. Checked by: traffic_test.cpp (worked examples).
// Compared with counters (validate/data/h200_sxm/counters), SM fills are exact and DRAM reads too
// low.
#pragma once

#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "model/gemm/order/tile_scheduler.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

struct GemmTraffic {
  Bytes l2_to_sm;   // bytes delivered by L2; a multicast counts once
  Bytes sm_intake;  // bytes filled into all SMs; a multicast counts at each receiver
  Bytes dram_read, dram_write;
  // Average number of workers of one wave that need the same panel of A or of B.
  double a_sharers, b_sharers;
  // Fraction of a wave's panels that miss L2.
  double a_missing, b_missing;
};

/// Lower bound of every field over all tile orders, without a walk: every panel has the maximum
/// number of sharers in a wave, and L2 reuse is that of the smallest patch of tiles that a wave can
/// cover. `concurrent`: workers resident on the chip.
GemmTraffic least_traffic(const L2Spec& l2, const GemmProblem& problem, const KernelConfig& config,
                          i32 concurrent);

/// DRAM reads if a fraction `skewed` of the tiles is computed by workers at different positions in
/// K: half of the workers reread what L2 evicted after `between` bytes of other lines.
Bytes skewed_dram_read(const L2Spec& l2, const GemmTraffic& traffic, double skewed, Bytes between);

/// Number of DRAM requests of all waves of tiles, and average sharers within a wave.
struct WavesWalked {
  Bytes read;
  double a_sharers, b_sharers, a_missing, b_missing;
};

/// Computes the traffic of many configurations of one problem on one GPU. Stages, warpgroups, K
/// blocks and the shape of a cluster do not change the walk, so most configurations find it in the
/// cache. Thread-safe.
class TrafficMemo {
 public:
  TrafficMemo(const L2Spec& l2, const GemmProblem& problem) : l2_(l2), problem_(problem) {}

  GemmTraffic traffic(const KernelConfig& config, i32 concurrent);

 private:
  // cluster tile M, N; workers; raster kind, group, walk
  using Key = std::tuple<i32, i32, i32, RasterKind, i32, Walk>;

  /// Returns the tiles in order, if the order is a curve short enough to cache.
  const std::vector<TileCoord>* curve(const TileScheduler& tiles);

  L2Spec l2_;
  GemmProblem problem_;
  std::mutex reading_;  // guards the members below
  std::map<Key, WavesWalked> walked_;
  std::map<std::pair<u32, u32>, std::vector<TileCoord>>
      curves_;  // curve by rows and columns of tiles
};

}  // namespace tilecast
