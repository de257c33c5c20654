#include "model/gemm/config/residual_ring.h"

#include <string>

#include "tests/catch.h"
#include "tests/gemm_config.h"

using namespace tilecast;

namespace {

constexpr Epilogue kResidual{step<Residual>()};

KernelConfig ping_pong(const std::string& tile_and_stages) {
  return gemm_config("ping_pong:tile=" + tile_and_stages +
                     ",cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40,"
                     "raster=grouped_m,group=8,walk=strided");
}
KernelConfig cooperative(const std::string& tile_and_stages) {
  return gemm_config("warp_specialized:tile=" + tile_and_stages +
                     ",warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40,"
                     "grid=resident,raster=grouped_m,group=8,walk=strided");
}
i32 stages(const KernelConfig& config, i32 column_bytes = 2) {
  return residual_stages(config, column_bytes, kResidual);
}

}  // namespace

TEST_CASE(
    "R takes as many stages as its 64 x 64 chunks fill, with a chunk of every warpgroup in each") {
  // Chunks have 8 KB. A stage holds two in A's 16 KB and four in B's 32 KB: three for each of two
  // warpgroups, whose parts of the tile have four chunks each.
  CHECK(residual_chunks_in_stage(Schedule::kWarpSpecialized,
                                 cooperative("128x256x64,stages=4").tiling, 2) == 3);
  CHECK(stages(cooperative("128x256x64,stages=4")) == 2);
  // fp32 chunks of 16 KB: one in A's part and two in B's, so one per warpgroup.
  CHECK(stages(cooperative("128x256x64,stages=3"), 4) == 4);
  // R has two rows of two chunks, as many as the 16 KB parts of A and B hold.
  CHECK(stages(ping_pong("128x128x64,stages=6")) == 1);
  CHECK(stages(ping_pong("128x128x64,stages=6"), 4) == 2);
  // The last chunk of 160 columns has 32 columns but occupies the space of 64: two chunks fit in
  // A's 16 KB, two in B's 20 KB.
  CHECK(stages(ping_pong("128x160x64,stages=5")) == 2);
  // With K blocks of 32, A's and B's 8 KB hold one chunk each.
  CHECK(stages(ping_pong("128x128x32,stages=4")) == 2);
}

TEST_CASE("Ping-pong warpgroups can tell one round of the ring from the next") {
  CHECK(stages(ping_pong("128x128x32,stages=3")) == 2);
  CHECK(stages(ping_pong("128x128x32,stages=2")) == 0);
  CHECK(stages(ping_pong("128x128x32,stages=4"), 4) == 0);  // a chunk has 16 KB, each half of a
                                                            // stage 8 KB
}

TEST_CASE("Threads load R without a producer, or if its barriers count other arrivals") {
  CHECK(residual_stages(ping_pong("128x128x64,stages=6"), 2, {}) == 0);
  Epilogue scaled = kResidual;
  scaled.add(step<ScaleBlock>());
  CHECK(residual_stages(ping_pong("128x128x64,stages=6"), 2, scaled) == 0);
  CHECK(stages(ping_pong("128x136x64,stages=4")) == 0);  // odd multiple of 8 columns
  CHECK(stages(gemm_config("pi 128x128x64 s4 w2x1 c1x1 o1 i1 e1 m8")) == 0);
  CHECK(stages(gemm_config("sp 128x128x64 s4 w2x1 c1x1 o1 i1 e1 m8 k2t")) == 0);

  const KernelConfig config = ping_pong("128x128x64,stages=6");
  GemmProblem problem{.shape = {256, 264, 64}, .epilogue = kResidual};
  CHECK(residual_through_ring(problem, config));
  problem.shape.n = 260;  // rows of 520 bytes
  CHECK_FALSE(residual_through_ring(problem, config));
}
