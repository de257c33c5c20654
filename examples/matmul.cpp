// C = A B with libtilecast: forecast anywhere, run where there is a Hopper GPU.
// Build: see examples/CMakeLists.txt, or g++ matmul.cpp $(pkg-config --cflags --libs tilecast)
// -lcudart
#include <cuda_runtime_api.h>
#include <tilecast/tilecast.hpp>

#include <cstdio>

int main() {
  const tilecast_problem problem = tilecast::problem(4096, 4096, 4096, TILECAST_BF16);
  tilecast_options options = TILECAST_OPTIONS_INIT;
  options.gpu = "h200_sxm";
  try {
    for (const tilecast_forecast& row : tilecast::predict(problem, options, 3)) {
      std::printf("%7.1f us, %5.0f TFLOP/s  %s\n", row.time_us, row.tflops, row.config);
    }
    const tilecast::Plan plan(problem);  // of the current device
    tilecast_arguments arguments = TILECAST_ARGUMENTS_INIT;
    void *a = nullptr, *b = nullptr;
    arguments.workspace_bytes = plan.workspace_bytes();
    cudaMalloc(&a, 2 * problem.m * problem.k);
    cudaMalloc(&b, 2 * problem.n * problem.k);
    cudaMalloc(&arguments.c, 2 * problem.m * problem.n);
    cudaMalloc(&arguments.workspace, arguments.workspace_bytes);
    cudaMemset(a, 0, 2 * problem.m * problem.k);
    cudaMemset(b, 0, 2 * problem.n * problem.k);
    arguments.a = a;
    arguments.b = b;
    plan.clear_workspace(arguments.workspace, arguments.workspace_bytes, nullptr);
    plan.run(arguments, nullptr);
    std::printf("run: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  } catch (const tilecast::Failure& failure) {
    std::printf("%s\n", failure.what());
    return failure.status() == TILECAST_NO_DEVICE ? 0 : 1;
  }
}
