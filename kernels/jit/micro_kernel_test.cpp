// Compiles the micro-benchmarks and the verification kernels to cubins, without a GPU. A wgmma loop
// that is serialized or spills would measure something else.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "kernels/jit/compile.h"
#include "kernels/jit/source_closure.h"
#include "tests/catch.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

std::string wgmma(i32 n, bool registers, i32 group, i32 pending) {
  return fmt::format(
      "constexpr int kWgmmaN = {}, kGroup = {}, kPending = {}; "
      "constexpr bool kAInRegisters = {};",
      n, group, pending, registers);
}

std::string micro(const std::string& name) { return "kernels/micro/" + name + ".cu"; }

/// Requires a minimum of registers, because the compiler removes wgmmas whose accumulators are not
/// used.
void check_compiles(const std::string& path, const std::string& constants = "",
                    i32 accumulator_registers = 0) {
  INFO(path);
  const CompiledKernel kernel = compile_kernel(with_constants(path, constants));
  INFO(kernel.log);
  CHECK(kernel.rejection == "");
  CHECK(kernel.report.registers >= accumulator_registers);
}

}  // namespace

TEST_CASE("Every micro-benchmark of the tensor cores keeps its wgmmas asynchronous") {
  Turns turns("tensor micro-benchmarks that are compiled", 4);
  const auto check = [&](const char* name, const std::string& constants, i32 registers) {
    if (turns.due()) {
      check_compiles(micro(name), constants, registers);
    }
  };
  for (const bool registers : {false, true}) {
    for (const i32 n : {8, 256}) {
      check("wgmma_rate", wgmma(n, registers, 4, 1), n / 2);
      check("wgmma_rate", wgmma(n, registers, 1, 0), n / 2);
    }
  }
  check("clock_trace", wgmma(256, false, 4, 1), 256 / 2);
  for (const i32 n : {8, 256}) {
    for (const i32 group : {1, 2, 4, 8, 32}) {
      check("wgmma_issue", wgmma(n, false, group, 0), n / 2);
    }
  }
}

TEST_CASE("Every other micro-benchmark compiles without spills") {
  for (const char* name :
       {"tma_ring", "tma_latency", "tma_issue", "tma_store", "tma_box", "dram_mix", "load_latency",
        "shared_latency", "shared_read", "mbarrier_wake", "mbarrier_remote", "named_barrier",
        "flag_hop", "cta_launch"}) {
    check_compiles(micro(name));
  }
  for (const int move : {0, 1, 2}) {
    check_compiles(micro("partial_sums"),
                   fmt::format("constexpr int kMove = {}, kAtOnce = 16;", move));
  }
}

TEST_CASE("Every verification kernel compiles") {
  int verifiers = 0;
  for (const EmbeddedSource& source : embedded_sources()) {
    const std::string_view path = source.path;
    if (path.starts_with("kernels/verify/") && path.ends_with(".cu")) {
      check_compiles(std::string(path));
      ++verifiers;
    }
  }
  CHECK(verifiers >= 10);
}

}  // namespace tilecast
