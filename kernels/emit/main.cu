// The host side of an emitted kernel: its launch (with bound_args(), which is written for the
// problem), the check (check.cuh), and its time.
//
// Time: launches one after another over sets of buffers, 2 to 64 of them: 256 MiB together, less
// where 64 are less than that (which may then lie in the L2). In bursts of some 5 ms, of 2 to 1000
// launches, after rests of 30 ms; the median, with the gap from one launch to the next.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <thread>
#include <vector>

#include "kernels/emit/check.cuh"
#include "kernels/emit/launch.cuh"

namespace tilecast::emitted {

/// Microseconds from one launch to the next.
double median_time(const Launch& launch, const std::vector<GemmArgs>& sets) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  const auto timed = [&](std::size_t launches) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    launch(sets[0]);  // not timed: the first after a rest
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
  const double launches = std::clamp(5000 / std::max(timed(3), 0.1), 2.0, 1000.0);  // in 5 ms
  std::vector<double> times(15);
  std::generate(times.begin(), times.end(),
                [&] { return timed(static_cast<std::size_t>(launches)); });
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <class T>
T* filled(i64 count, u64 seed) {
  T* const values = device_array<T>(count);
  fill<<<1024, 256>>>(values, count, seed);
  check(cudaGetLastError());
  return values;
}

int run() {
  const Launch launch;
  DeviceBuffers buffers{};
  if constexpr (Config::kAddsBias) {
    buffers.bias = filled<BiasElement>(kBiasElements, 3);
  }
  if constexpr (Config::kScalesOperands) {
    buffers.a_scales = filled<float>(kScalesOfA, 4);
    buffers.b_scales = filled<float>(kScalesOfB, 5);
  }
  if constexpr (Config::kLoads) {
    buffers.residual = filled<CElement>(kSpanOfC, 6);
  }
  if constexpr (Config::kScalesC) {
    const float scale = 16 / std::sqrt(static_cast<float>(kSideK));
    float* const scale_c = device_array<float>(1);
    check(cudaMemcpy(scale_c, &scale, sizeof scale, cudaMemcpyHostToDevice));
    buffers.scale_c = scale_c;
  }
  if constexpr (Config::kFindsAmax) {
    buffers.amax = device_array<float>(1);
  }
  if constexpr (kGroups > 0) {
    i32* const numbers = device_array<i32>(kGroups);
    check(cudaMemcpy(numbers, kGroupNumbers, sizeof kGroupNumbers, cudaMemcpyHostToDevice));
    buffers.group_numbers = numbers;
  }
  constexpr i64 kSetBytes = (kElementsOfA + kElementsOfB) * static_cast<i64>(sizeof(Element)) +
                            kSpanOfC * static_cast<i64>(sizeof(CElement));
  constexpr i64 kBeyondL2 = i64{256} << 20;
  const i64 sets = std::clamp<i64>((kBeyondL2 + kSetBytes - 1) / kSetBytes, 2, 64);
  std::vector<GemmArgs> bound;
  DeviceBuffers first{};
  for (i64 i = 0; i < sets; ++i) {
    buffers.a = filled<Element>(kElementsOfA, 1);
    buffers.b = filled<Element>(kElementsOfB, 2);
    buffers.c = device_array<CElement>(kSpanOfC);
    bound.push_back(launch.bind(buffers));
    first = i == 0 ? buffers : first;
  }
  Findings* const findings = device_array<Findings>(1);
  const i64 step = static_cast<i64>(kMultiplyAdds / 0x1p40) + 1;
  for (int again = 0; again < 2; ++again) {  // a workspace is left ready for the next launch
    check(cudaMemset(first.c, 0xff, kSpanOfC * sizeof(CElement)));
    launch(bound[0]);
    compare<<<4096, 256>>>(first, step, findings);
    check(cudaGetLastError());
  }
  Findings found{};
  check(cudaMemcpy(&found, findings, sizeof found, cudaMemcpyDeviceToHost));
  if (found.wrong != 0) {
    std::printf("WRONG: %llu of %lld elements\n", found.wrong,
                2 * ((kElementsOfC + step - 1) / step));
    return 1;
  }
  if constexpr (Config::kFindsAmax) {
    float amax = 0;
    check(cudaMemcpy(&amax, buffers.amax, sizeof amax, cudaMemcpyDeviceToHost));
    const float least = std::bit_cast<float>(found.least_amax);
    const float most =
        step == 1 ? std::bit_cast<float>(found.most_amax) : std::numeric_limits<float>::infinity();
    if (!(least <= amax && amax <= most)) {
      std::printf("WRONG: amax %g, expected %g to %g\n", amax, least, most);
      return 1;
    }
  }
  const double time = median_time(launch, bound);
  std::printf("right; %.2f us, %.1f TFLOP/s (forecast %.2f us)\n", time,
              2e-6 * kMultiplyAdds / time, kForecastUs);
  return 0;
}

}  // namespace tilecast::emitted

int main() {
  cudaDeviceProp gpu{};
  if (const cudaError_t error = cudaGetDeviceProperties(&gpu, 0); error != cudaSuccess) {
    std::fprintf(stderr, "no GPU: %s\n", cudaGetErrorString(error));
    return 3;
  }
  if (10 * gpu.major + gpu.minor != tilecast::emitted::kComputeCapability) {
    std::fprintf(stderr, "the kernel needs compute capability %d, this GPU has %d\n",
                 tilecast::emitted::kComputeCapability, 10 * gpu.major + gpu.minor);
    return 3;
  }
  return tilecast::emitted::run();
}
