#include "model/tile/register_plan.h"

#include "tests/catch.h"

namespace tilecast {
namespace {

TEST_CASE("What the producer gives up is shared by the consumers in steps of eight") {
  // Two consumers: 65536 / 384 = 170, launched with 168 each, 504 in all.
  CHECK(register_plan(2, 1, 24).consumer == 240);
  CHECK(register_plan(2, 1, 32).consumer == 232);  // (504 - 32) / 2 = 236
  CHECK(register_plan(2, 1, 40).consumer == 232);  // 464 / 2, to the register
  // Three: 128 each, 512 in all; 24 leaves 488 / 3 = 162.
  CHECK(register_plan(3, 1, 24).consumer == 160);
  CHECK(register_plan(3, 1, 32).consumer == 160);
  CHECK(register_plan(3, 1, 40).consumer == 152);
}

TEST_CASE("One consumer alone on its SM is held to what the compiler may use") {
  // 65536 / 256 = 256, launched with 240; 480 - 40 = 440.
  CHECK(register_plan(1, 1, 40).consumer == kMostConsumerRegisters);
}

TEST_CASE("Two CTAs per SM halve the plan") {
  // 65536 / (256 x 2) = 128: 256 - 40 = 216.
  CHECK(register_plan(1, 2, 40).consumer == 216);
  // 65536 / (384 x 2) = 85, launched with 80: (240 - 24) / 2 = 108.
  CHECK(register_plan(2, 2, 24).consumer == 104);
}

TEST_CASE("The default producer leaves its consumers whole steps, and no plan exceeds the file") {
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

}  // namespace
}  // namespace tilecast
