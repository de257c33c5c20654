#include "model/gemm/costs/occupancy.h"

#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

KernelConfig config(const char* text) { return gemm_config(text); }

TEST_CASE("A 128x256 warp-specialised CTA has an SM to itself") {
  // 4 stages x 48 KiB + 2 warpgroups x 2 slots x 8 KiB = 224 KiB of 228.
  const KernelConfig c = config("ws 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8 r24");
  CHECK(resident_ctas(h200(), c) == 1);
  CHECK(resident_workers(h200(), c) == 132);
}

TEST_CASE("Resident clusters are limited by GPCs, not by the number of SMs") {
  KernelConfig c = config("ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8 r24");
  const GpuSpec gpu = h200();
  CHECK(resident_workers(gpu, c) == gpu.clusters->max_active_of_2);
  c.tiling.cluster_n = 2;
  CHECK(resident_workers(gpu, c) == gpu.clusters->max_active_of_4);
  CHECK(resident_workers(gpu, c) < gpu.sm.count / 4);
}

TEST_CASE("Two CTAs share an SM until one more stage exceeds its shared memory") {
  // 3 stages x 32 KiB + 2 slots x 8 KiB + 6 barriers x 8 B = 114736 B, and 1024 B reserved each, so
  // 2 x 115760 = 231520 <= 233472. A fourth stage makes it 297056.
  KernelConfig c = config("pi 128x128x64 s3 w1x1 c1x1 o2 i1 e2 m8");
  CHECK(ctas_by_shared_memory(h200(), c) == 2);
  CHECK(resident_ctas(h200(), c) == 2);
  c.tiling.stages = 4;
  CHECK(ctas_by_shared_memory(h200(), c) == 1);
}

TEST_CASE("A warpgroup cannot hold 256 accumulators per thread") {
  KernelConfig c = config("pi 128x256x64 s3 w2x1 c1x1 o1 i1 e2 m8");
  CHECK(registers_suffice(h200(), c));  // 128 accumulators per thread
  c.tiling.warpgroups_m = 1;            // 256 accumulators per thread
  CHECK_FALSE(registers_suffice(h200(), c));
}

TEST_CASE("Three consumer warpgroups leave a 256-wide wgmma too few registers at launch") {
  // 512 threads launch with 128 registers; the instruction needs 128 accumulators plus 26.
  KernelConfig c = config("ws 192x192x64 s3 w3x1 c1x1 o1 i1 e2 m8");
  CHECK(registers_suffice(h200(), c));
  c.tiling.block_n = 256;
  CHECK_FALSE(registers_suffice(h200(), c));
}

TEST_CASE("Partial sums need registers besides the accumulators from the launch on") {
  // Two CTAs of 256 threads launch with 128 registers per thread: 40 fit besides 88 accumulators,
  // but not besides 96. Their consumers continue with 216.
  KernelConfig c = config("sk 64x176x64 s3 w1x1 c1x1 o2 i1 e2 m8 k8+a");
  CHECK(registers_suffice(h200(), c));
  c.tiling.block_n = 192;
  CHECK_FALSE(registers_suffice(h200(), c));
  c.schedule = Schedule::kWarpSpecialized;
  CHECK(registers_suffice(h200(), c));
}

}  // namespace
}  // namespace tilecast
