#include "kernels/jit/loaded_kernel.h"

#include <vector>

#include "kernels/jit/compile.h"
#include "kernels/jit/cuda_error.h"
#include "tests/catch.h"
#include "tests/gpu.h"

namespace tilecast {
namespace {

// Every thread writes 10 x its argument + the rank of its CTA in the cluster, through dynamic
// shared memory.
constexpr EmbeddedSource kSources[] = {
    {"write_rank.cu",
     "extern \"C\" __global__ void write_rank(int* out, int value) {\n"
     "  extern __shared__ int shared[];\n"
     "  unsigned rank;\n"
     "  asm volatile(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));\n"
     "  shared[threadIdx.x * 128] = value * 10 + (int)rank;\n"
     "  __syncthreads();\n"
     "  out[blockIdx.x * blockDim.x + threadIdx.x] = shared[threadIdx.x * 128];\n"
     "}\n"}};

}  // namespace

TEST_CASE("A loaded kernel runs with its arguments, its cluster and its shared memory", "[gpu]") {
  const Device device = gpu_or_skip();
  const CompiledKernel compiled =
      compile_kernel({.path = "write_rank.cu", .defines = {}}, kSources);
  LoadedKernel kernel(compiled.cubin, "write_rank");
  CHECK(kernel.attributes().numRegs == compiled.report.registers);

  // 256 threads with 512 bytes each: 128 KiB, so one CTA fits per SM.
  const LaunchShape shape{
      .ctas = 4, .threads = 256, .shared_memory_bytes = 131072, .cluster_size = 2};
  kernel.allow_shared_memory(shape.shared_memory_bytes);
  CHECK(kernel.resident_ctas_per_sm(shape) == 1);
  const i32 clusters = kernel.resident_clusters(shape);
  CHECK(clusters > 0);
  CHECK(clusters <= device.sm_count / 2);

  void* out = nullptr;
  TILECAST_CUDA(cudaMalloc(&out, 1024 * sizeof(int)));
  int value = 7;
  void* arguments[] = {&out, &value};
  kernel.launch(shape, arguments, nullptr);
  std::vector<int> host(1024);
  TILECAST_CUDA(cudaMemcpy(host.data(), out, 1024 * sizeof(int), cudaMemcpyDeviceToHost));
  TILECAST_CUDA(cudaFree(out));
  for (std::size_t i = 0; i < host.size(); ++i) {
    // CTA i / 256 is rank (i / 256) % 2 of its cluster.
    CHECK(host[i] == 70 + static_cast<int>(i / 256 % 2));
  }
}

TEST_CASE("A kernel that is not in the cubin is an error that names the call", "[gpu]") {
  gpu_or_skip();
  const CompiledKernel compiled =
      compile_kernel({.path = "write_rank.cu", .defines = {}}, kSources);
  CHECK_THROWS_AS(LoadedKernel(compiled.cubin, "missing"), CudaError);
  CHECK_THROWS_AS(LoadedKernel("not a cubin", "write_rank"), CudaError);
}

}  // namespace tilecast
