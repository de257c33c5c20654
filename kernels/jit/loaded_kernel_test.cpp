#include "kernels/jit/loaded_kernel.h"

#include "kernels/jit/compile.h"
#include "kernels/jit/cuda_error.h"
#include "tests/catch.h"
#include "tests/gpu.h"

namespace tilecast {
namespace {

constexpr EmbeddedSource kSources[] = {
    {"nothing.cu", "extern \"C\" __global__ void nothing() {}\n"}};

}  // namespace

TEST_CASE("A kernel that is not in the cubin is an error that names the call", "[gpu]") {
  gpu_or_skip();
  const CompiledKernel compiled = compile_kernel({.path = "nothing.cu"}, kSources);
  CHECK_THROWS_AS(LoadedKernel(compiled.cubin, "missing"), CudaError);
  CHECK_THROWS_AS(LoadedKernel("not a cubin", "nothing"), CudaError);
}

}  // namespace tilecast
