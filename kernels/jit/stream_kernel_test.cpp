// Compiles the memory-bound kernels to cubins, without a GPU.
#include <string>
#include <vector>

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/stream_launch.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/stream_config_text.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

constexpr i32 kRegistersPerSm = 65536;  // of Hopper

void check_compiles(const std::string& text, ElementType dtype) {
  INFO(text << " " << to_text(dtype));
  const StreamConfig config = parse_stream_config(text);
  CubinCache none{std::filesystem::path()};
  const CompiledKernel kernel = none.get(stream_source(config, dtype));
  INFO(kernel.log);
  CHECK(kernel.rejection == "");
  CHECK(kernel.report.registers * stream_threads(config) * config.ctas_per_sm <= kRegistersPerSm);
}

}  // namespace

TEST_CASE("Every memory-bound kernel compiles for every element type") {
  for (const ElementType dtype : {ElementType::kFp32, ElementType::kFp16, ElementType::kBf16}) {
    for (const char* vector : {"4", "8", "16"}) {
      const std::string common = std::string(",warps=4,vector=") + vector + ",ctas=4";
      check_compiles(
          "memcpy_cpasync:block=1x8192" + common + ",layout=plain,order=blocks,hint=none", dtype);
      check_compiles("elementwise_add:block=32x64" + common + ",view=matrix,order=bands,hint=none",
                     dtype);
      check_compiles("elementwise_add_cpasync:block=32x64" + common +
                         ",layout=swizzled,view=matrix,order=bands,hint=none",
                     dtype);
    }
    for (const char* stages : {"1", "2", "3", "4"}) {
      check_compiles(std::string("elementwise_add_pipelined:block=32x64,stages=") + stages +
                         ",warps=4,vector=16,ctas=2,layout=plain,view=flat,order=strided,"
                         "hint=none",
                     dtype);
    }
    for (const char* schedule : {"elementwise_add_tma", "elementwise_add_tma_warp_specialized"}) {
      for (const char* layout : {"plain", "swizzled"}) {
        check_compiles(std::string(schedule) + ":block=64x128,stages=3,warps=8,ctas=1,layout=" +
                           layout + ",view=matrix,order=strided,hint=evict_first",
                       dtype);
      }
    }
  }
  check_compiles(
      "elementwise_add:block=32x64,warps=4,vector=2,ctas=4,view=matrix,order=bands,"
      "hint=none",
      ElementType::kBf16);
}

TEST_CASE("Every memory-bound configuration that is to be measured compiles") {
  const std::string listed = read_file("validate/suites/h200_stream_configs.txt");
  int compiled = 0;
  for (const std::string_view line : split(listed, '\n')) {
    if (line.find(':') != std::string_view::npos && line.front() != '#') {
      check_compiles(std::string(line), ElementType::kFp32);
      ++compiled;
    }
  }
  CHECK(compiled > 0);
}

TEST_CASE("A memory-bound kernel that cannot exist is refused before it is compiled") {
  const StreamConfig config = parse_stream_config(
      "elementwise_add_cpasync:block=32x64,warps=4,vector=2,ctas=4,layout=plain,view=matrix,"
      "order=bands,hint=none");
  CHECK_THROWS_AS(stream_source(config, ElementType::kFp16), ConfigError);
}

}  // namespace tilecast
