#include "validate/measure/tile_trace.h"

#include <cstring>

#include "model/base/error.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"
#include "tests/gpu.h"
#include "validate/measure/gpu_test_bench.h"

using namespace tilecast;

TEST_CASE("CTAs of a cluster take the neighbouring blocks of its tile, along m first") {
  // 3 cluster tiles in a row of N, 2 workers, clusters of 2 x 2 blocks: worker 0 takes tiles 0 and
  // 2, worker 1 takes tile 1. Cluster tile (0, t) holds blocks (0..1, 2t..2t+1).
  const TileScheduler scheduler =
      TileScheduler::of(1, 3, 2, {RasterKind::kGroupedM, 1, Walk::kStrided});
  Tiling tiling{};
  tiling.cluster_m = 2;
  tiling.cluster_n = 2;
  const std::vector<TileCoord> trace = expected_tile_trace(scheduler, tiling, 2);
  const std::vector<TileCoord> expected = {
      {0, 0}, {0, 4},  {1, 0}, {1, 4},  {0, 1}, {0, 5},  {1, 1}, {1, 5},    // worker 0
      {0, 2}, kNoTile, {1, 2}, kNoTile, {0, 3}, kNoTile, {1, 3}, kNoTile};  // worker 1
  CHECK(trace == expected);
}

TEST_CASE("The checksum is FNV-1a of the bytes") {
  // No bytes leave the offset basis, 14695981039346656037.
  CHECK(tile_checksum({}) == "cbf29ce484222325");
  const std::vector<TileCoord> one = {{0, 1}}, other = {{1, 0}};
  CHECK(tile_checksum(one) != tile_checksum(other));
}

TEST_CASE("A difference names the CTA and the number of its tile") {
  const std::vector<TileCoord> expected = {{0, 0}, {0, 1}, {1, 0}, kNoTile};
  std::vector<TileCoord> walked = expected;
  CHECK(tile_trace_difference(walked, expected, 2) == "");
  walked[2] = {1, 1};
  CHECK(tile_trace_difference(walked, expected, 2) ==
        "CTA 1 took tile (1, 1) as its number 0 where the scheduler says (1, 0)");
  CHECK_FALSE(tile_trace_difference({walked.data(), 2}, expected, 2).empty());
}

TEST_CASE("Kernels walk exactly the tiles of the shared scheduler", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  const std::vector<GemmShape> shapes = {{128, 128, 64}, {1000, 2000, 128}, {4100, 4104, 64}};
  const std::vector<std::string> configs = {
      "pipelined:tile=128x128x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
      "raster=grouped_m,group=3",
      "pipelined:tile=64x64x64,stages=3,warpgroups=1x1,ctas=2,inflight=0,c_slots=2,"
      "raster=grouped_n,group=4",
      "persistent:tile=128x128x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
      "raster=grouped_n,group=1,walk=chunked",
      "persistent:tile=64x64x64,stages=3,warpgroups=1x1,ctas=2,inflight=1,c_slots=2,"
      "raster=grouped_n,group=2,walk=strided",
      "warp_specialized:tile=128x128x64,stages=5,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
      "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided",
      "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
      "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided",
      "warp_specialized:tile=128x128x64,stages=5,warpgroups=2x1,cluster=1x2,ctas=1,inflight=1,"
      "c_slots=2,producer=40,grid=resident,raster=grouped_n,group=3,walk=strided",
      "warp_specialized:tile=256x128x64,stages=3,warpgroups=2x1,cluster=2x2,ctas=1,inflight=0,"
      "c_slots=2,producer=40,grid=resident,raster=grouped_n,group=1,walk=chunked"};
  for (const GemmShape& shape : shapes) {
    bench.prepare({shape, ElementType::kFp16, Layout::kTn}, Inputs::kTernary);
    for (const std::string& text : configs) {
      const KernelConfig config = parse_kernel_config(text);
      LoadedKernel kernel = bench.load(config);
      const GemmLaunch launch(kernel, bench.problem, config);
      const std::vector<TileCoord> walked = record_tile_trace(
          launch, {bench.a.as<void>(), bench.b.as<void>(), bench.c.as<void>()}, bench.stream.get());
      const std::vector<TileCoord> expected =
          expected_tile_trace(launch.scheduler(), config.tiling, launch.max_tiles_per_cta());
      INFO(to_text(shape) << " " << text);
      REQUIRE(walked.size() == expected.size());
      CHECK(std::memcmp(walked.data(), expected.data(), walked.size() * sizeof(TileCoord)) == 0);
    }
  }
}
