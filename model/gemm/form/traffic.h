// Bytes a GEMM moves, by walking the tile scheduler the kernel walks.
//
// L2 to SM is arithmetic: each worker's tile reads its rows of A and columns of B once, zeros
// out of bounds cost nothing. DRAM reads follow from reuse: tiles run in waves of the resident
// workers; a panel (the whole K of a tile's rows or columns) that was last used less than the
// usable L2 ago is found there, one used twice that ago is not, between the two in proportion.
// Buffers are cold, as in our measurements (rotating).
//
// Leaves out: workers of a wave drifting apart in K, which costs row-major orders half of their
// reuse and small tiles more (docs/dev/known-gaps.md); the room that C takes in L2; the two
// partitions; waves after the 48th, which are taken to repeat the ones before; of groups along K,
// all but 768 waves spread over the whole kernel.
// Checked by: traffic_test.cpp (worked examples); a first look at counters,
// validate/data/h200_sxm/counters: SM intake exact, DRAM reads too low.
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
  Bytes l2_to_sm;   // delivered by L2, a multicast counted once
  Bytes sm_intake;  // taken in by all SMs, a multicast counted at each
  Bytes dram_read, dram_write;
  // Workers of one wave that want the same panel of A or of B, on average.
  double a_sharers, b_sharers;
  // Part of those panels that a wave finds in DRAM and not in L2.
  double a_missing, b_missing;
};

/// `concurrent`: workers resident on the chip at once.
GemmTraffic gemm_traffic(const L2Spec& l2, const GemmProblem& problem, const KernelConfig& config,
                         i32 concurrent);

/// What no order of tiles betters in any part, without a walk: every panel wanted by as many
/// workers of a wave as can want it, and reused from L2 as far as the smallest patch that a wave
/// can cover leaves room there.
GemmTraffic least_traffic(const L2Spec& l2, const GemmProblem& problem, const KernelConfig& config,
                          i32 concurrent);

/// DRAM reads where a part `skewed` of the tiles is computed by workers at different places of K:
/// what falls out of L2 between one worker and the next, `between` bytes for other lines later, is
/// read again by every second one that wants it.
Bytes skewed_dram_read(const L2Spec& l2, const GemmTraffic& traffic, double skewed, Bytes between);

/// What waves of tiles ask of DRAM, and how many of a wave share what they ask for.
struct WavesWalked {
  Bytes read;
  double a_sharers, b_sharers, a_missing, b_missing;
};

/// gemm_traffic for many configurations of one problem on one GPU. Stages, warpgroups, K blocks and
/// how a cluster parts its tile do not change the walk, so most configurations find it done. May be
/// asked on several threads.
class TrafficMemo {
 public:
  TrafficMemo(const L2Spec& l2, const GemmProblem& problem) : l2_(l2), problem_(problem) {}

  GemmTraffic traffic(const KernelConfig& config, i32 concurrent);

 private:
  // cluster tile m, n; workers; raster kind, group, walk
  using Key = std::tuple<i32, i32, i32, RasterKind, i32, Walk>;

  /// Its tiles in their order, where a curve has to be followed for it and is not too long to keep.
  const std::vector<TileCoord>* curve(const TileScheduler& tiles);

  L2Spec l2_;
  GemmProblem problem_;
  std::mutex reading_;  // of what follows
  std::map<Key, WavesWalked> walked_;
  std::map<std::pair<u32, u32>, std::vector<TileCoord>> curves_;  // by rows and columns of tiles
};

}  // namespace tilecast
