#include "model/gemm/sim/kernel/first_reads.h"

#include "model/gemm/costs/occupancy.h"
#include "model/gemm/sim/example_gpu.h"
#include "model/gemm/sim/simulate.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"

using namespace tilecast;

TEST_CASE("Skipped waves read at least the panels that no simulated tile uses") {
  // 512 x 4194304 x 64 in tiles of 128 x 128, column by column: each wave reads new panels of B
  // once, all from DRAM. A has 64 KiB, B 512 MiB.
  const KernelConfig config = gemm_config("ws 128x128x64 s4 w2x1 c1x1 o1 i1 e2 m4");
  const GemmProblem problem = fp16(512, 4194304, 64);
  const Residency residency{resident_ctas(h200(), config), resident_workers(h200(), config)};
  const Simulated part =
      simulate_gemm(h200(), problem, config, residency, Hertz{1.5e9}, {}, Waves::kSteadyLeftOut);
  REQUIRE(part.waves_left_out > 0);
  CHECK(part.dram_read.value >= bytes_of_a(problem) + bytes_of_b(problem));
  CHECK(part.dram_read.value < 1.02 * (bytes_of_a(problem) + bytes_of_b(problem)));

  GemmKernel kernel(h200(), problem, config, residency, Hertz{1.5e9}, Waves::kSteadyLeftOut, {},
                    nullptr);
  REQUIRE(kernel.skipped.count > 0);
  // Every fourth tile begins a panel of B of 128 x 64 elements; a wave has 132 tiles.
  const i64 tiles_left_out = i64{kernel.skipped.count} * 132;
  const i64 panel = 128 * 64 * 2;
  CHECK(first_reads_left_out(kernel) <= tiles_left_out / 4 * panel);
  CHECK(first_reads_left_out(kernel) >= (tiles_left_out / 4 - 2) * panel);
}
