// Compiles the micro-benchmarks to cubins, without a GPU: a wgmma loop that the compiler serialises
// or spills would measure something else.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "kernels/jit/compile.h"
#include "kernels/jit/gemm_kernel.h"
#include "tests/catch.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

using Defines = std::vector<std::string>;

Defines wgmma(i32 n, bool registers, i32 group, i32 pending, i32 warpgroups, i32 accumulators = 1) {
  return {fmt::format("TILECAST_N={}", n),
          fmt::format("TILECAST_A_IN_REGISTERS={}", registers ? 1 : 0),
          fmt::format("TILECAST_GROUP={}", group),
          fmt::format("TILECAST_PENDING={}", pending),
          fmt::format("TILECAST_WARPGROUPS={}", warpgroups),
          fmt::format("TILECAST_ACCUMULATORS={}", accumulators)};
}

/// At least this many registers: accumulators that nobody reads would take their wgmmas with them.
void check_compiles(const std::string& name, const Defines& defines = {},
                    i32 accumulator_registers = 0, const std::string& config = "") {
  INFO(name);
  const std::string path = "kernels/micro/" + name + ".cu";
  const CompiledKernel kernel = compile_kernel(
      {.path = path, .defines = defines, .text = config.empty() ? "" : source_text(path, config)});
  INFO(kernel.log);
  CHECK(kernel.rejection == "");
  CHECK(kernel.report.registers >= accumulator_registers);
}

}  // namespace

TEST_CASE("Every micro-benchmark of the tensor cores keeps its wgmmas asynchronous") {
  Turns turns("tensor micro-benchmarks that are compiled", 4);
  const auto check = [&](const char* name, const Defines& defines, i32 registers) {
    if (turns.due()) {
      check_compiles(name, defines, registers);
    }
  };
  for (const bool registers : {false, true}) {
    for (const i32 n : {8, 256}) {
      check("wgmma_rate", wgmma(n, registers, 4, 1, 1), n / 2);
      check("wgmma_rate", wgmma(n, registers, 1, 0, 1), n / 2);
      check("wgmma_rate", wgmma(n, registers, 4, 0, 1), n / 2);
    }
  }
  check("wgmma_rate", wgmma(128, false, 4, 1, 1, 2), 128 / 2);
  for (const i32 warpgroups : {2, 3}) {
    check("wgmma_rate", wgmma(256, false, 4, 1, warpgroups), 256 / 2);
  }
  check("wgmma_contention", wgmma(256, false, 4, 1, 2), 256 / 2);
  check("wgmma_contention", wgmma(256, true, 4, 1, 1), 256 / 2);
  check("clock_trace", wgmma(256, false, 4, 1, 1), 256 / 2);
  for (const i32 n : {8, 256}) {
    for (const i32 group : {1, 2, 4, 8, 32}) {
      check("wgmma_issue", wgmma(n, false, group, 0, 1), n / 2);
    }
    check("wgmma_issue", wgmma(n, true, 4, 0, 1), n / 2);
  }
}

TEST_CASE("The K blocks of the micro-benchmarks compile as the GEMMs' do") {
  const auto check = [](const char* name, const KernelConfig& config, const Defines& defines,
                        i32 registers) {
    check_compiles(name, defines, registers,
                   config_text(config, {ElementType::kFp16, Layout::kTn}));
  };
  const auto config = [](Schedule schedule, i32 m, i32 n, i32 k, i32 warpgroups, i32 stages) {
    KernelConfig made = fixed_by_schedule(schedule);
    made.tiling.block_m = m;
    made.tiling.block_n = n;
    made.tiling.block_k = k;
    made.tiling.warpgroups_m = warpgroups;
    made.tiling.stages = stages;
    return made;
  };
  const KernelConfig wide = config(Schedule::kPipelined, 256, 176, 128, 2, 1);
  check("wgmma_block", wide, {"TILECAST_BEFORE=1", "TILECAST_MULTIPLY=1", "TILECAST_BOXES=0"}, 176);
  const KernelConfig loaded = config(Schedule::kWarpSpecialized, 128, 256, 128, 2, 1);
  for (const char* multiply : {"TILECAST_MULTIPLY=0", "TILECAST_MULTIPLY=1"}) {
    check("wgmma_block", loaded, {"TILECAST_BEFORE=0", multiply, "TILECAST_BOXES=3"}, 0);
  }
  for (const Schedule schedule : {Schedule::kPipelined, Schedule::kWarpSpecialized}) {
    check("k_block_loop", config(schedule, 128, 256, 128, 2, 2), {}, 128);
  }
}

TEST_CASE("Every other micro-benchmark compiles without spills") {
  for (const char* name :
       {"tma_ring",         "tma_latency",     "tma_issue",     "tma_store",
        "dram_mix",         "l2_latency",      "load_latency",  "shared_latency",
        "cp_async_latency", "mbarrier_cost",   "mbarrier_wake", "mbarrier_remote",
        "named_barrier",    "cluster_barrier", "cta_launch",    "reduction_atomics",
        "flag_hop",         "shared_read",     "tma_box",       "tma_descriptor",
        "stmatrix",         "l2_lines",        "tma_store_seen"}) {
    check_compiles(name);
  }
  for (const char* move : {"0", "1", "2"}) {
    check_compiles("partial_sums", {std::string("TILECAST_MOVE=") + move, "TILECAST_AT_ONCE=16"});
  }
  for (const char* cluster : {"2", "4"}) {
    const std::string size = std::string("TILECAST_CLUSTER=") + cluster;
    check_compiles("tma_multicast", {size});
    check_compiles("dsmem_copy", {size});
    check_compiles("dsmem_store", {size, "TILECAST_FOURS=32"});
  }
}

}  // namespace tilecast
