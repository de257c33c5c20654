// Checks an emitted kernel against a reference, then times it.
//
// Time: the kernel is launched over 2 to 64 sets of buffers in sequence: 256 MiB in total, or less
// if 64 sets are smaller (they may then stay in L2). Launches come in bursts of about 5 ms, of 2 to
// 1000 launches, after 30 ms of rest; the time is the median interval between launches.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "kernels/emit/device.cuh"
#include "kernels/emit/launch.cuh"

namespace tilecast::emitted {

/// Returns the median interval between launches in microseconds.
double median_time(const Launch& launch, const std::vector<Arguments>& sets) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  const auto timed = [&](std::size_t launches) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    launch(sets[0]);  // not timed: the first launch after a rest
    check(cudaEventRecord(begin));
    for (std::size_t i = 0; i < launches; ++i) {
      launch(sets[i % sets.size()]);
    }
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    return 1e3 * static_cast<double>(milliseconds) / static_cast<double>(launches);
  };
  const double launches =
      std::clamp(5000 / std::max(timed(3), 0.1), 2.0, 1000.0);  // number of launches in 5 ms
  std::vector<double> times(15);
  std::generate(times.begin(), times.end(),
                [&] { return timed(static_cast<std::size_t>(launches)); });
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

int run() {
  const Launch launch;
  DeviceBuffers buffers{};
  allocate_shared(buffers);
  constexpr i64 kBeyondL2 = i64{256} << 20;
  const i64 sets = std::clamp<i64>((kBeyondL2 + kSetBytes - 1) / kSetBytes, 2, 64);
  std::vector<Arguments> bound;
  DeviceBuffers first{};
  for (i64 i = 0; i < sets; ++i) {
    allocate_set(buffers);
    bound.push_back(bound_args(launch.args, buffers));
    first = i == 0 ? buffers : first;
  }
  Findings* const findings = device_array<Findings>(1);
  for (int again = 0; again < 2; ++again) {  // each launch resets the workspace for the next one
    clear_result(first);
    launch(bound[0]);
    compare<<<4096, 256>>>(first, findings);
    check(cudaGetLastError());
  }
  Findings found{};
  check(cudaMemcpy(&found, findings, sizeof found, cudaMemcpyDeviceToHost));
  if (!is_right(found, first)) {
    return 1;
  }
  const double time = median_time(launch, bound);
  std::printf("right; %.2f us, %.4g T%s/s (forecast %.2f us)\n", time, 1e-6 * kWork / time,
              kWorkUnit, kForecastUs);
  return 0;
}

}  // namespace tilecast::emitted

int main() {
  cudaDeviceProp gpu{};
  if (const cudaError_t error = cudaGetDeviceProperties(&gpu, 0); error != cudaSuccess) {
    std::fprintf(stderr, "no GPU: %s\n", cudaGetErrorString(error));
    return 3;
  }
  using tilecast::emitted::kComputeCapability, tilecast::emitted::kRunsOnLaterGpus;
  const int capability = 10 * gpu.major + gpu.minor;
  if (capability < kComputeCapability || (capability > kComputeCapability && !kRunsOnLaterGpus)) {
    std::fprintf(stderr, "the kernel needs compute capability %d%s, this GPU has %d\n",
                 kComputeCapability, kRunsOnLaterGpus ? " or later" : "", capability);
    return 3;
  }
  return tilecast::emitted::run();
}
