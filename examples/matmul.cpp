// C = A B with libtilecast: forecasts on any machine, runs on a Hopper GPU. Build: see
// examples/CMakeLists.txt, or g++ matmul.cpp $(pkg-config --cflags --libs tilecast) -lcudart
#include <cuda_runtime_api.h>
#include <tilecast/tilecast.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>

void check(cudaError_t error) {
  if (error != cudaSuccess) {
    throw std::runtime_error(cudaGetErrorString(error));
  }
}

/// Zeroed device memory.
struct DeviceMemory {
  explicit DeviceMemory(std::size_t bytes) {
    if (bytes != 0) {
      check(cudaMalloc(&address, bytes));
      check(cudaMemset(address, 0, bytes));
    }
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { cudaFree(address); }

  void* address = nullptr;
};

int main() {
  const tilecast_problem problem = tilecast::problem(4096, 4096, 4096, TILECAST_BF16);
  tilecast_options options = TILECAST_OPTIONS_INIT;
  options.gpu = "h200_sxm";
  try {
    for (const tilecast_forecast& row : tilecast::predict(problem, options, 3)) {
      std::printf("%7.1f us, %5.0f TFLOP/s  %s\n", row.time_us, row.tflops, row.config);
    }
    const tilecast::Plan plan(problem);  // for the current device
    tilecast_arguments arguments = TILECAST_ARGUMENTS_INIT;
    const DeviceMemory a(2 * problem.m * problem.k), b(2 * problem.n * problem.k),
        c(2 * problem.m * problem.n), workspace(plan.workspace_bytes());
    arguments.a = a.address;
    arguments.b = b.address;
    arguments.c = c.address;
    arguments.workspace = workspace.address;
    arguments.workspace_bytes = plan.workspace_bytes();
    plan.clear_workspace(arguments.workspace, arguments.workspace_bytes, nullptr);
    plan.run(arguments, nullptr);
    check(cudaDeviceSynchronize());
    std::printf("run: done\n");
  } catch (const tilecast::Failure& failure) {
    std::printf("%s\n", failure.what());
    return failure.status() == TILECAST_NO_DEVICE ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
