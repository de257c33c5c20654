// Compiles the memory-bound kernels to cubins, without a GPU.
#include <string>

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/stream_launch.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/math.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/stream/stream_config_text.h"
#include "model/stream/stream_occupancy.h"
#include "tests/catch.h"
#include "tests/h200.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

constexpr i32 kRegistersPerSm = 65536;  // register file of a Hopper SM

/// Returns the registers per thread.
i32 check_compiles(const std::string& text, ElementType dtype,
                   std::string_view architecture = "sm_90a") {
  INFO(text << " " << to_text(dtype) << " " << architecture);
  const StreamConfig config = parse_stream_config(text);
  CubinCache none{std::filesystem::path()};
  const CompiledKernel kernel = none.get(stream_source(config, dtype, architecture));
  INFO(kernel.log);
  CHECK(kernel.rejection == "");
  CHECK(kernel.report.registers * stream_threads(config) * config.ctas_per_sm <= kRegistersPerSm);
  return kernel.report.registers;
}

}  // namespace

TEST_CASE("Every memory-bound kernel compiles for every element type") {
  Turns turns("kernels of every element type to compile", 4);
  const auto check = [&](const std::string& text, ElementType dtype) {
    if (turns.due()) {
      check_compiles(text, dtype);
    }
  };
  for (const ElementType dtype : {ElementType::kFp32, ElementType::kFp16, ElementType::kBf16}) {
    for (const char* hint : {"none", "evict_first", "loads_evict_first", "stores_evict_first"}) {
      if (dtype != ElementType::kFp32 && hint != std::string_view("none")) {
        continue;  // hints do not depend on the type
      }
      const std::string rest = std::string("order=blocks,hint=") + hint;
      check("memcpy_tma:block=1x8192,stages=1,warps=1,ctas=4," + rest, dtype);
      check("memcpy:block=1x4096,warps=8,vector=16,ctas=4," + rest, dtype);
      check("memcpy_cpasync:block=1x4096,warps=8,vector=16,ctas=4,layout=plain," + rest, dtype);
    }
    check("memcpy_tma:block=1x1024,stages=4,warps=1,ctas=4,order=tickets,hint=none", dtype);
    for (const char* vector : {"4", "8", "16"}) {
      const std::string common = std::string(",warps=4,vector=") + vector + ",ctas=4";
      check("memcpy_cpasync:block=1x8192" + common + ",layout=plain,order=blocks,hint=none", dtype);
      check("elementwise_add:block=32x64" + common + ",view=matrix,order=bands,hint=none", dtype);
      check("elementwise_add_cpasync:block=32x64" + common +
                ",layout=swizzled,view=matrix,order=bands,hint=none",
            dtype);
    }
    for (const char* stages : {"1", "2", "3", "4"}) {
      check(std::string("elementwise_add_pipelined:block=32x64,stages=") + stages +
                ",warps=4,vector=16,ctas=2,layout=plain,view=flat,order=strided,"
                "hint=none",
            dtype);
    }
    for (const char* schedule : {"elementwise_add_tma", "elementwise_add_tma_warp_specialized"}) {
      for (const char* layout : {"plain", "swizzled"}) {
        check(std::string(schedule) + ":block=64x128,stages=3,warps=8,ctas=1,layout=" + layout +
                  ",view=matrix,order=strided,hint=evict_first",
              dtype);
      }
    }
  }
  check(
      "elementwise_add:block=32x64,warps=4,vector=2,ctas=4,view=matrix,order=bands,"
      "hint=none",
      ElementType::kBf16);
}

TEST_CASE("Memory-bound kernels compile from Ampere on, the copy engine's from Hopper on") {
  for (const std::string_view architecture : {"sm_80", "sm_86", "sm_89", "sm_100", "sm_120"}) {
    check_compiles("memcpy:block=1x4096,warps=8,vector=16,ctas=4,order=blocks,hint=evict_first",
                   ElementType::kFp32, architecture);
    check_compiles(
        "elementwise_add_cpasync:block=32x64,warps=4,vector=4,ctas=4,layout=swizzled,view=matrix,"
        "order=bands,hint=none",
        ElementType::kBf16, architecture);
    check_compiles(
        "elementwise_add_pipelined:block=32x64,stages=3,warps=4,vector=16,ctas=2,layout=plain,"
        "view=flat,order=strided,hint=stores_evict_first",
        ElementType::kFp16, architecture);
  }
  const char* const addition =
      "elementwise_add_tma:block=32x64,stages=3,warps=4,ctas=2,layout=plain,view=matrix,"
      "order=strided,hint=none";
  const char* const copy = "memcpy_tma:block=1x8192,stages=1,warps=1,ctas=4,order=blocks,hint=none";
  check_compiles(addition, ElementType::kFp32, "sm_100");
  check_compiles(copy, ElementType::kFp32, "sm_100");
  check_compiles(copy, ElementType::kFp32, "sm_120");
  CubinCache none{std::filesystem::path()};
  // On sm_120 NVRTC 13.0 gives this kernel a stack frame, which is rejected like a spill.
  const StreamConfig ring = parse_stream_config(addition);
  CHECK(none.get(stream_source(ring, ElementType::kFp32, "sm_120")).rejection ==
        "stack frame of 8 bytes");
  const StreamConfig tma = parse_stream_config(copy);
  CHECK_THROWS_AS(none.get(stream_source(tma, ElementType::kFp32, "sm_80")), Error);
}

TEST_CASE("Every measured memory-bound configuration compiles as modelled") {
  constexpr int kParts = 6;
  Turns turns("memory-bound kernels to compile", kParts);
  int compiled = 0, as_modelled = 0;
  for (const char* suite : {"variants", "memcpy"}) {
    const std::string listed =
        read_file(std::string("validate/suites/h200_stream/") + suite + ".yaml");
    for (std::string_view line : split(listed, '\n')) {
      constexpr std::string_view kItem = "  - \"";
      if (!line.starts_with(kItem) || !contains(line, ":block=") || !turns.due()) {
        continue;
      }
      line.remove_prefix(kItem.size());
      line.remove_suffix(1);
      const StreamConfig config = parse_stream_config(line);
      const i32 registers = check_compiles(std::string(line), ElementType::kFp32);
      INFO(line << " takes " << registers << " registers");
      CHECK(stream_registers_suffice(h200(), config, ElementType::kFp32));
      // The model must know how many CTAs the registers allow.
      const i32 by_registers =
          h200().sm.registers / (round_up(registers, 8) * stream_threads(config));
      const i32 fitting = fitting_stream_ctas(h200(), config, ElementType::kFp32);
      ++compiled;
      as_modelled += fitting <= by_registers ? 1 : 0;
    }
  }
  CHECK(compiled > 100 / kParts);
  CHECK(as_modelled >
        // 90 % of all configurations compile, and 28 of the 32 in the sampled sixth
        compiled * 17 / 20);
}

TEST_CASE("An impossible memory-bound kernel is refused before it is compiled") {
  const StreamConfig config = parse_stream_config(
      "elementwise_add_cpasync:block=32x64,warps=4,vector=2,ctas=4,layout=plain,view=matrix,"
      "order=bands,hint=none");
  CHECK_THROWS_AS(stream_source(config, ElementType::kFp16), ConfigError);
}

}  // namespace tilecast
