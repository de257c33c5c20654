#include "kernels/registry.h"

#include <iterator>
#include <string>

#include "kernels/jit/source_closure.h"
#include "model/gemm/config/schedule_text.h"
#include "tests/catch.h"

namespace tilecast {

TEST_CASE("Every schedule has a kernel whose source is embedded and has the entry point") {
  CHECK(gemm_kernels().size() == std::size(kEverySchedule));
  for (const GemmKernelInfo& kernel : gemm_kernels()) {
    CHECK(&gemm_kernel_info(kernel.schedule) == &kernel);
    const auto sources = source_closure(kernel.source, embedded_sources());
    CHECK(contains(std::string(sources[0].text), "void run(const Args<Config>& args) {"));
  }
}

TEST_CASE("Kernels are compiled for the architecture of their tensor cores") {
  for (const GemmKernelInfo& kernel : gemm_kernels()) {
    CHECK(kernel.architecture == (uses_tcgen05(kernel.schedule) ? "sm_100a" : "sm_90a"));
  }
}

}  // namespace tilecast
