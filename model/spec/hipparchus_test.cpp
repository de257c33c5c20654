// Reproduces worked examples on the 4-SM Hipparchus H10 of
// https://research.colfax-intl.com/cutlass-tutorial-persistent-kernels-and-stream-k/
#include <algorithm>
#include <vector>

#include "model/gemm/order/work_decomposition.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

/// Number of waves: tiles of the busiest SM.
u32 waves(const TileScheduler& s) {
  u32 longest = 0;
  for (u32 worker = 0; worker < s.workers; ++worker) {
    u32 mine = 0;
    for (u32 t = s.first(worker); t < s.end(worker); t = s.next(t)) {
      ++mine;
    }
    longest = std::max(longest, mine);
  }
  return longest;
}

double utilisation(const TileScheduler& s) {
  return static_cast<double>(s.num_tiles()) / (waves(s) * s.workers);
}

TileScheduler on_h10(const GemmShape& shape, i32 block_n, Raster raster) {
  const LoadedGpu h10 = load_gpu("hipparchus_h10", true);
  KernelConfig config = fixed_by_schedule(Schedule::kPersistent);
  config.tiling.block_m = 128;
  config.tiling.block_n = block_n;
  config.raster = raster;
  return make_tile_scheduler(shape, 1, config, static_cast<u32>(h10.spec.sm.count));
}

const GemmShape kShape{384, 384, 640};
const std::vector<Raster> kRasters{{RasterKind::kGroupedM, 1, Walk::kStrided},
                                   {RasterKind::kGroupedN, 2, Walk::kStrided},
                                   {RasterKind::kGroupedN, 1, Walk::kChunked},
                                   {RasterKind::kHilbert, 1, Walk::kStrided}};

TEST_CASE("Nine tiles on four SMs take three waves and use 75 %") {
  for (const Raster raster : kRasters) {
    const TileScheduler s = on_h10(kShape, 128, raster);
    CHECK(s.num_tiles() == 9);  // 3 x 3
    CHECK(s.workers == 4);
    CHECK(waves(s) == 3);           // two full waves and one with a single tile
    CHECK(utilisation(s) == 0.75);  // 9 of 12 slots, 2.25 of 3 waves
  }
}

TEST_CASE(
    "Eighteen half tiles take five half waves, use 90 % of the slots and take 83 % of the time") {
  for (const Raster raster : kRasters) {
    const TileScheduler whole = on_h10(kShape, 128, raster);
    const TileScheduler half = on_h10(kShape, 64, raster);
    CHECK(half.num_tiles() == 18);  // 3 x 6
    CHECK(waves(half) == 5);
    CHECK(utilisation(half) == Approx(0.9));                       // 18 of 20 slots
    CHECK(0.5 * waves(half) / waves(whole) == Approx(5.0 / 6.0));  // 2.5 / 3 = 83 %
  }
}

/// Time of the busiest SM in units of one tile, if every K block costs the same.
double busiest_in_tiles(const WorkDecomposition& work) {
  i32 longest = 0;
  for (u32 worker = 0; worker < work.workers; ++worker) {
    i32 mine = 0;
    for (WorkPiece p = work.first(worker); work.valid(p); p = work.next(worker, p)) {
      mine += p.k_blocks();
    }
    longest = std::max(longest, mine);
  }
  return static_cast<double>(longest) / work.k_blocks;
}

TEST_CASE(
    "Stream-K gives each of four SMs two and a quarter of nine tiles, and so does the hybrid") {
  const TileScheduler s = on_h10(kShape, 128, kRasters[0]);
  // K = 640 in blocks of 16; a piece has at least 8 blocks.
  const WorkDecomposition stream = WorkDecomposition::stream_k(s.num_tiles(), 40, 4, 8);
  CHECK(busiest_in_tiles(stream) == 2.25);
  const WorkDecomposition hybrid = WorkDecomposition::stream_k_hybrid(s.num_tiles(), 40, 4, 8);
  CHECK(hybrid.streamed == 5);              // the remaining tile and one wave
  CHECK(busiest_in_tiles(hybrid) == 2.25);  // 1.25 streamed tiles, 1 whole
  // The remaining tile is split into four pieces; each SM then runs two whole tiles.
  CHECK(busiest_in_tiles(WorkDecomposition::split_k_hybrid(s.num_tiles(), 40, 4, 4)) == 2.25);
  CHECK(busiest_in_tiles(WorkDecomposition::data_parallel(s.num_tiles(), 40, 4)) == 3);
}

}  // namespace
}  // namespace tilecast
