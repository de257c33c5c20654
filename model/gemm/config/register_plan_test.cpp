#include "model/gemm/config/register_plan.h"

#include <string>

#include "tests/catch.h"
#include "tests/gemm_config.h"

namespace tilecast {
namespace {

TEST_CASE("Consumers share the producer's registers in steps of eight") {
  // Two consumers: 65536 / 384 = 170, so each launches with 168, in total 504.
  CHECK(register_plan(2, 1, 24).consumer == 240);
  CHECK(register_plan(2, 1, 32).consumer == 232);  // (504 - 32) / 2 = 236, rounded down
  CHECK(register_plan(2, 1, 40).consumer == 232);  // (504 - 40) / 2 = 232
  // Three consumers launch with 128 each, in total 512; a producer of 24 leaves 488 / 3 = 162.
  CHECK(register_plan(3, 1, 24).consumer == 160);
  CHECK(register_plan(3, 1, 32).consumer == 160);
  CHECK(register_plan(3, 1, 40).consumer == 152);
}

TEST_CASE("A single consumer per SM is limited by the compiler's maximum") {
  // 65536 / 256 = 256 exceeds 240, so each launches with 240: 480 - 40 = 440 would be free.
  CHECK(register_plan(1, 1, 40).consumer == kMostConsumerRegisters);
}

TEST_CASE("Two CTAs per SM halve the plan") {
  // 65536 / (256 x 2) = 128 registers at launch, so 256 - 40 = 216 are left.
  CHECK(register_plan(1, 2, 40).consumer == 216);
  // 65536 / (384 x 2) = 85, so each launches with 80 and gets (240 - 24) / 2 = 108.
  CHECK(register_plan(2, 2, 24).consumer == 104);
}

TEST_CASE(
    "The default producer leaves whole steps to its consumers, and no plan exceeds the register "
    "file") {
  for (const i32 ctas : {1, 2}) {
    for (i32 consumers = 1; consumers <= 3; ++consumers) {
      const i32 registers = default_producer_registers(consumers);
      CHECK(registers % kRegisterStep == 0);
      CHECK(registers >= kFewestProducerRegisters);
      const RegisterPlan plan = register_plan(consumers, ctas, registers);
      CHECK(plan.consumer % kRegisterStep == 0);
      CHECK((plan.producer + plan.consumer * consumers) * kThreadsPerWarpgroup * ctas <=
            kRegistersPerSm);
    }
  }
}

TEST_CASE("The chunks that wait are those that fit next to the next tile's accumulators") {
  const auto deferred = [](const std::string& tile) {
    return deferred_chunks(
        gemm_config("warp_specialized:" + tile +
                    ",grid=resident,raster=grouped_m,group=8,walk=strided,store=deferred"));
  };
  const std::string ring = ",ctas=1,inflight=1,c_slots=2";
  // 128 accumulators and 28 others leave 76 of 232 registers; four chunks of 64 x 64 halves / 128
  // threads / 2 take 16 each.
  CHECK(deferred("tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1" + ring + ",producer=40") ==
        4);
  // 96 accumulators of 160 registers leave 36, enough for two of three chunks.
  CHECK(deferred("tile=192x192x64,stages=3,warpgroups=3x1,cluster=1x1" + ring + ",producer=32") ==
        2);
  // 88 accumulators leave 44 registers, for chunks that take 12 (48 columns), 16 and 16.
  CHECK(deferred("tile=192x176x64,stages=3,warpgroups=3x1,cluster=1x1" + ring + ",producer=32") ==
        3);
  // 160 accumulators of 232 registers leave 44. The last three chunks take 8 (32 columns), 16 and
  // 16 registers, 40 in all.
  CHECK(deferred("tile=256x160x64,stages=3,warpgroups=2x1,cluster=1x1" + ring + ",producer=40") ==
        3);
  // 192 accumulators of 240 registers leave 20, enough for one of six chunks.
  CHECK(deferred("tile=256x192x64,stages=3,warpgroups=2x1,cluster=1x1" + ring + ",producer=24") ==
        1);
  CHECK(deferred("tile=320x192x64,stages=2,warpgroups=1x3,cluster=1x1" + ring + ",producer=32") ==
        0);  // 160 accumulators fill the 160 registers
}

TEST_CASE("Without a deferred store no chunk waits") {
  CHECK(deferred_chunks(gemm_config("ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8")) == 0);
}

}  // namespace
}  // namespace tilecast
