#include "model/sim/kernel_costs.h"

#include "model/sim/example_gpu.h"
#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("wgmmas take the longer of their FLOPs and of reading their operands") {
  KernelConfig config = plain(Schedule::kPipelined);
  // N = 64: 2*64*64*16 / 4096 = 32 cycles, (64 + 64) * 32 B / 128 = 32 cycles; + 1 of issue; 4 of
  // them in a K block of 64.
  CHECK(kernel_costs(example_gpu(), config, kExampleClock).mma.ps == 4 * 33000);
  // N = 32: 16 cycles of FLOPs, but 24 of operands.
  config.instruction_n = 32;
  CHECK(kernel_costs(example_gpu(), config, kExampleClock).mma.ps == 8 * 25000);
  // A from registers: 8 cycles of operands.
  config.a_source = OperandSource::kRegisters;
  CHECK(kernel_costs(example_gpu(), config, kExampleClock).mma.ps == 8 * 17000);
}

TEST_CASE("What is in cycles follows the SM clock, what is in seconds does not") {
  const KernelConfig config = plain(Schedule::kPipelined);
  const KernelCosts fast = kernel_costs(example_gpu(), config, Hertz{2e9});
  const KernelCosts slow = kernel_costs(example_gpu(), config, Hertz{1e9});
  CHECK(slow.turn.ps == 2 * fast.turn.ps);
  CHECK(slow.staging.ps == 2 * fast.staging.ps);
  CHECK(slow.kernel.ps == fast.kernel.ps);
  CHECK(slow.store_done.ps == fast.store_done.ps);
}
