// O = softmax(Q K^T / sqrt(d)) V with libtilecast: 8 sequences, 32 query heads that share 8 KV
// heads.
#include <cuda_runtime_api.h>
#include <tilecast/tilecast.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>

void check(cudaError_t error) {
  if (error != cudaSuccess) {
    throw std::runtime_error(cudaGetErrorString(error));
  }
}

/// Returns zeroed device memory that is released when the program ends.
void* zeros(std::size_t bytes) {
  void* address = nullptr;
  check(cudaMalloc(&address, bytes));
  check(cudaMemset(address, 0, bytes));
  return address;
}

int main() {
  const tilecast_attention problem =
      tilecast::attention(8, 32, 8, 1024, 1024, 128, TILECAST_BF16, TILECAST_MASK_CAUSAL);
  tilecast_options options = TILECAST_OPTIONS_INIT;
  options.gpu = "h200_sxm";
  try {
    for (const tilecast_forecast& row : tilecast::predict(problem, options, 3)) {
      std::printf("%7.1f us, %5.0f TFLOP/s  %s\n", row.time_us, row.tflops, row.config);
    }
    const tilecast::Plan plan(problem);  // for the current device
    tilecast_attention_arguments arguments = TILECAST_ATTENTION_ARGUMENTS_INIT;
    const auto bytes = [&](std::int64_t heads, std::int64_t rows) {
      return 2 * static_cast<std::size_t>(problem.batch * heads * rows * problem.head_dim);
    };
    arguments.q = zeros(bytes(problem.heads, problem.queries));
    arguments.k = zeros(bytes(problem.kv_heads, problem.keys));
    arguments.v = zeros(bytes(problem.kv_heads, problem.keys));
    arguments.o = zeros(bytes(problem.heads, problem.queries));
    arguments.workspace_bytes = plan.workspace_bytes();
    arguments.workspace = zeros(arguments.workspace_bytes);
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
