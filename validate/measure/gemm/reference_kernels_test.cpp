#include "validate/measure/gemm/reference_kernels.h"

#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/operand_copier.h"
#include "tests/catch.h"
#include "validate/measure/timing/micro_kernels.h"

using namespace tilecast;

TEST_CASE("The kernels that check and time others compile for GPUs before Hopper") {
  for (const char* const architecture : {"sm_80", "sm_86", "sm_89", "sm_120"}) {
    std::vector<KernelSource> sources = reference_kernel_sources();
    for (const KernelSource& source : micro_kernel_sources()) {
      sources.push_back(source);
    }
    sources.push_back(copy_source("sm_90a"));
    CubinCache cache{std::filesystem::path()};
    cache.compile_for(architecture);
    const CompileCounts counts = compile_ahead(sources, cache);
    CAPTURE(architecture, counts.faults);
    CHECK(counts.kernels == sources.size());
    CHECK(counts.rejected + counts.failed == 0);
  }
}
