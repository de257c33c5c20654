#include "kernels/jit/operand_copier.h"

#include "kernels/jit/compile.h"
#include "tests/catch.h"

namespace tilecast {

TEST_CASE("The kernel that copies operands compiles without spills") {
  for (const char* architecture : {"sm_90a", "sm_100a"}) {
    const CompiledKernel kernel = compile_kernel(copy_source(architecture));
    INFO(kernel.log);
    CHECK(kernel.rejection == "");
    CHECK(kernel.report.registers <= 64);  // limit for kCopyCtasPerSm CTAs per SM
  }
}

}  // namespace tilecast
