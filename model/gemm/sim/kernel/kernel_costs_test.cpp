#include "model/gemm/costs/kernel_costs.h"

#include "model/gemm/sim/example_gpu.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

using namespace tilecast;

namespace {

KernelCosts costs(const KernelConfig& config, Hertz clock, i64 n_of_c = 512, bool cold = false) {
  return kernel_costs(example_gpu(), fp16(512, n_of_c, 512), config, 32, cold, clock);
}

}  // namespace

TEST_CASE("wgmmas take the longer of their FLOPs and their operand reads") {
  KernelConfig config = plain(Schedule::kPipelined);
  // With N = 64 an instruction takes 2*64*64*16 / 4096 = 32 cycles and reads (64 + 64) * 32 B / 128
  // = 32 cycles; a K block of 64 has 4 instructions.
  CHECK(costs(config, kExampleClock).mma.time.ps == 4 * 32000);
  // With N = 32 the FLOPs take 16 cycles, but operand reads take 24.
  config.instruction_n = 32;
  CHECK(costs(config, kExampleClock).mma.time.ps == 8 * 24000);
  // If A comes from registers, operand reads take 8 cycles, so FLOPs take longer again.
  config.a_source = OperandSource::kRegisters;
  CHECK(costs(config, kExampleClock).mma.time.ps == 8 * 16000);
}

TEST_CASE("Costs in cycles follow the SM clock, costs in seconds do not") {
  const KernelConfig config = plain(Schedule::kPipelined);
  const KernelCosts fast = costs(config, Hertz{2e9});
  const KernelCosts slow = costs(config, Hertz{1e9});
  CHECK(slow.mma.turn.ps == 2 * fast.mma.turn.ps);
  CHECK(slow.store.staging.ps == 2 * fast.store.staging.ps);
  CHECK(slow.launch.kernel.ps == fast.launch.kernel.ps);
}

TEST_CASE("A wgmma takes no less than the narrowest one") {
  GpuSpec gpu = example_gpu();
  gpu.machine->wgmma_least = {13};
  KernelConfig config = plain(Schedule::kPipelined);
  config.instruction_n = 8;
  config.a_source = OperandSource::kRegisters;  // 4 cycles of FLOPs, 2 of operand reads
  CHECK(kernel_costs(gpu, fp16(512, 512, 512), config, 32, false, kExampleClock).mma.time.ps ==
        32 * 13000);
}

TEST_CASE("If TMA cannot store C, threads store it and wait") {
  const KernelConfig config = plain(Schedule::kPipelined);
  CHECK(!costs(config, kExampleClock, 512).store.by_threads);
  CHECK(costs(config, kExampleClock, 508).store.by_threads);
  // A chunk of 8192 B at 32 B per cycle. If threads store it, it takes twice as long, and four
  // times with two bytes per store.
  CHECK(costs(config, kExampleClock, 512).store.read.ps == 256000);
  CHECK(costs(config, kExampleClock, 508).store.read.ps == 512000);
  CHECK(costs(config, kExampleClock, 511).store.read.ps == 1024000);
}

TEST_CASE("L2 takes longer for rows of C that start inside a sector") {
  const KernelConfig config = plain(Schedule::kPipelined);
  const i64 whole = costs(config, kExampleClock, 512).store.chunk_bytes;
  CHECK(costs(config, kExampleClock, 528).store.chunk_bytes == whole);  // 1056 B, 33 sectors
  // Every other row of 1040 B starts inside a sector: 128 B of it are 3 sectors and parts of two
  // others, which take as long as 7 sectors. The mean of 7 and 4 is 5.5.
  CHECK(costs(config, kExampleClock, 520).store.chunk_bytes == whole * 11 / 8);
  // Stores by threads, used if rows are not multiples of 16 bytes, cost time per instruction.
  CHECK(costs(config, kExampleClock, 508).store.chunk_bytes == whole);
}

TEST_CASE("Each row of a box of C that starts inside a sector writes two sectors in part") {
  KernelConfig config = plain(Schedule::kPipelined);
  config.tiling.block_n = 176;
  config.tiling.warpgroups_n = 1;
  // Three chunks of 64 rows, in boxes of 64, 64 and 48 columns: 4, 4 and 3 sectors a row; inside
  // sectors, as every other row of 1040 B, they take as long as 7, 7 and 6. Whole sectors count as
  // three full slots.
  CHECK(costs(config, kExampleClock, 512).store.chunk_bytes == 64 * 128);
  CHECK(costs(config, kExampleClock, 520).store.chunk_bytes == 64 * 32 * (11 + 20) / 2 / 3);
  // Every other tile of 72 columns begins inside a sector of rows that begin at sectors. Its boxes
  // of 64 and 8 columns take 7 and 2, the others' 4 and 2.
  KernelConfig odd = config;
  odd.tiling.block_n = 72;
  CHECK(costs(odd, kExampleClock, 512).store.chunk_bytes == 64 * 32 * (6 + 9) / 2 / 2);
  // With a residual there are eleven boxes of 16 columns, whose rows take 1 or 4.
  GemmProblem residual = fp16(512, 520, 512);
  residual.epilogue.add(step<Residual>());
  CHECK(kernel_costs(example_gpu(), residual, config, 32, false, kExampleClock).store.chunk_bytes ==
        64 * 32 * 11 * (1 + 4) / 2 / 3);
  // With swapped operands a column of the tile is a row of C, 64 elements of it in each chunk.
  config.operands = OperandOrder::kSwapped;
  CHECK(kernel_costs(example_gpu(), fp16(520, 512, 512), config, 32, false, kExampleClock)
            .store.chunk_bytes == 176 * 32 * (4 + 7) / 2 / 3);
}

TEST_CASE("A cold kernel's CTAs start later than those that follow one") {
  const KernelConfig config = plain(Schedule::kPipelined);
  GpuSpec gpu = example_gpu();
  gpu.machine->start_shared = {100e-9};
  // A kernel starts after 700 ns, plus 100 ns for each of two SMs of a GPC, plus 700 cycles.
  CHECK(
      kernel_costs(gpu, fp16(512, 512, 512), config, 32, true, kExampleClock).launch.cta_start.ps ==
      900000);
  CHECK(kernel_costs(gpu, fp16(512, 512, 512), config, 32, false, kExampleClock)
            .launch.cta_start.ps == 700000);
}

TEST_CASE("A GEMM's DRAM rate is reduced by independent CTA streams, and again by box loads") {
  GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const double loss = gpu.stream->disorder_loss;
  CHECK(dram_read_rate(gpu) / gpu.dram->read_rate == Approx(1 - loss));
  CHECK(dram_box_rate(gpu) / gpu.dram->read_rate == Approx(1 - 2 * loss));
  gpu.stream.reset();  // as if not measured
  CHECK(dram_read_rate(gpu) == gpu.dram->read_rate);
  CHECK(dram_box_rate(gpu) == gpu.dram->read_rate);
}
