// The host side of an emitted kernel: tensor maps, launch, the check (check.cuh), and its time.
//
// Time: launches one after another over sets of buffers, 2 to 64 of them: 256 MiB together, less
// where 64 are less than that (which may then lie in the L2). In bursts of some 5 ms, of 2 to 1000
// launches, after rests of 30 ms; the median, with the gap from one launch to the next.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/emit/check.cuh"
#include "kernels/emit/problem.cuh"
#include "kernels/launch/bind_gemm.h"
#include "kernels/launch/encode_tensor_map.h"
#include "model/gemm/config/tensor_memory.h"
#include "model/gemm/order/reduction_workspace.h"

namespace tilecast::emitted {

#define CHECK(call)                                                               \
  do {                                                                            \
    if (const cudaError_t error = (call); error != cudaSuccess) {                 \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
      std::exit(1);                                                               \
    }                                                                             \
  } while (false)

constexpr i32 kCtasTogether = cluster_size(Config::kTiling);
constexpr i32 kSharedBytes = Config::kSmem.total_bytes +
                             scale_ring_bytes(Config::kEpilogue, Config::kTiling) +
                             (Config::kGrouped ? group_table_bytes(kGroups) : 0);

/// With what is decided as it is launched.
constexpr KernelConfig run_config() {
  KernelConfig config = Config::kKernel;
  config.schedule = static_cast<Schedule>(TILECAST_RUN_SCHEDULE);
  config.grid = static_cast<Grid>(TILECAST_GRID);
  config.raster = {static_cast<RasterKind>(TILECAST_RASTER), TILECAST_GROUP,
                   static_cast<Walk>(TILECAST_WALK)};
  config.decomposition = {TILECAST_SPLITS, TILECAST_MIN_K_BLOCKS,
                          static_cast<Reduction>(TILECAST_REDUCTION)};
  return config;
}

template <class T>
T* device_array(i64 count) {
  T* memory = nullptr;
  CHECK(cudaMalloc(&memory, static_cast<std::size_t>(count) * sizeof(T)));
  CHECK(cudaMemset(memory, 0, static_cast<std::size_t>(count) * sizeof(T)));
  return memory;
}

TensorMap tensor_map(MapOf, const MatrixView& matrix, const TmaBox& box) {
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                           cudaEnableDefault, &found));
    if (found != cudaDriverEntryPointSuccess || function == nullptr) {
      std::fprintf(stderr, "the driver has no cuTensorMapEncodeTiled (CUDA 12.0)\n");
      std::exit(1);
    }
    return reinterpret_cast<EncodeTensorMap>(function);
  }();
  TensorMap map{};
  if (const CUresult result = encode_tensor_map(encode, matrix, box, map); result != CUDA_SUCCESS) {
    std::fprintf(stderr, "cuTensorMapEncodeTiled: error %d\n", static_cast<int>(result));
    std::exit(1);
  }
  return map;
}

/// Clusters, or CTAs without them, that the device holds at once.
u32 resident_workers() {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(kCtasTogether), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = {static_cast<unsigned>(kCtasTogether), 1, 1};
  config.blockDim = {static_cast<unsigned>(Config::kThreads), 1, 1};
  config.dynamicSmemBytes = kSharedBytes;
  config.attrs = &cluster;
  config.numAttrs = kCtasTogether > 1 ? 1 : 0;
  int sms = 0, workers = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  if (kCtasTogether > 1) {
    CHECK(cudaOccupancyMaxActiveClusters(&workers, tilecast_gemm, &config));
  } else {
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&workers, tilecast_gemm, Config::kThreads,
                                                        kSharedBytes));
    workers *= sms;
  }
  if constexpr (uses_tcgen05(Config::kKernel.schedule)) {
    const i32 most = kTensorMemoryColumns / tensor_memory_columns(Config::kKernel) * sms;
    workers = min_of(workers, most / kCtasTogether);
  }
  return static_cast<u32>(workers);
}

/// The kernel for this problem on this device; bound to buffers once, launched many times, one
/// launch after another. Two at once would share the workspace, and with reduction=spread each
/// could hold half of the SMs and wait for its other pieces.
struct Launch {
  Launch() {
    CHECK(cudaFuncSetAttribute(tilecast_gemm, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               kSharedBytes));
    const KernelConfig& run = gemm.config;
    const u32 resident = resident_workers();
    scheduler = make_tile_scheduler(gemm.problem.shape, kProducts, run, resident);
    const i64 k_blocks = ceil_div<i64>(kK, Config::kTiling.block_k);
    work = make_work_decomposition(scheduler, static_cast<i32>(k_blocks), run, resident);
    if (kBiasElements > 0) {
      bias = device_array<BiasElement>(kBiasElements);
    }
    if (kScaleElements.a > 0) {
      a_scales = device_array<float>(kScaleElements.a);
      b_scales = device_array<float>(kScalesOfB);
    }
    residual = Config::kLoads ? device_array<CElement>(kSpanOfC) : nullptr;
    scale_c = Config::kScalesC ? device_array<float>(1) : nullptr;
    amax = Config::kFindsAmax ? device_array<float>(1) : nullptr;
    if (splits_k(run.schedule)) {
      const ReductionWorkspace workspace = reduction_workspace(run, work);
      partials = device_array<float>(workspace.partials);
      locks = device_array<u32>(workspace.locks);
    }
    if (kGroups > 0) {
      group_numbers = device_array<i32>(kGroups);
      CHECK(cudaMemcpy(group_numbers, kGroupNumbers, sizeof kGroupNumbers, cudaMemcpyDefault));
    }
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(kCtasTogether), 1, 1};
    // How many tiles groups along M have only the kernel knows.
    const u32 workers = Config::kGrouped ? resident : work.workers;
    config.gridDim = {workers * static_cast<unsigned>(kCtasTogether), 1, 1};
    config.blockDim = {static_cast<unsigned>(Config::kThreads), 1, 1};
    config.dynamicSmemBytes = kSharedBytes;
    config.attrs = &cluster;
    config.numAttrs = kCtasTogether > 1 ? 1 : 0;
  }

  GemmArgs bind(const Element* a, const Element* b, CElement* c) const {
    GemmArgs args =
        bind_gemm(gemm,
                  {.a = a,
                   .b = b,
                   .c = c,
                   .bias = bias,
                   .scales = {.a = a_scales, .b = b_scales, .a_stride = 0, .b_stride = 0},
                   .group_rows = group_numbers,
                   .residual = residual,
                   .scale_c = scale_c,
                   .amax = amax},
                  tensor_map);
    args.scheduler = scheduler;
    args.work = work;
    args.partials = partials;
    args.locks = locks;
    return args;
  }

  void operator()(const GemmArgs& bound) const {
    void* arguments[] = {const_cast<GemmArgs*>(&bound)};
    CHECK(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(tilecast_gemm), arguments));
  }

  GemmToBind gemm{.problem = as_run(kProblem, Config::kKernel),
                  .config = run_config(),
                  .m = Config::kSwapped ? kN : kM,
                  .groups = {.along_m = Config::kGrouped ? kGroups : 0,
                             .along_k = Config::kGroupedAlongK ? kGroups : 0,
                             .capacity = kCapacity}};
  TileScheduler scheduler{};
  WorkDecomposition work{};
  BiasElement* bias = nullptr;
  CElement* residual = nullptr;
  float *a_scales = nullptr, *b_scales = nullptr, *scale_c = nullptr, *amax = nullptr;
  float* partials = nullptr;
  u32* locks = nullptr;
  i32* group_numbers = nullptr;
  cudaLaunchAttribute cluster{};
  cudaLaunchConfig_t config{};
};

/// Microseconds from one launch to the next.
double median_time(const Launch& launch, const std::vector<GemmArgs>& sets) {
  constexpr int kBursts = 15, kMostLaunches = 1000;
  constexpr float kBurstMs = 5;
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  const auto timed = [&](int launches) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    launch(sets[0]);  // not timed: the first after a rest
    CHECK(cudaEventRecord(begin));
    for (int i = 0; i < launches; ++i) {
      launch(sets[static_cast<std::size_t>(i) % sets.size()]);
    }
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds / static_cast<float>(launches);
  };
  const int launches =
      std::clamp(static_cast<int>(kBurstMs / std::max(timed(3), 1e-4f)), 2, kMostLaunches);
  std::vector<double> times;
  for (int burst = 0; burst < kBursts; ++burst) {
    times.push_back(1e3 * static_cast<double>(timed(launches)));
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

int run() {
  const Launch launch;
  constexpr i64 kSetBytes = (kElementsOfA + kElementsOfB) * static_cast<i64>(sizeof(Element)) +
                            kSpanOfC * static_cast<i64>(sizeof(CElement));
  constexpr i64 kBeyondL2 = i64{256} << 20;
  const i64 sets = std::clamp<i64>((kBeyondL2 + kSetBytes - 1) / kSetBytes, 2, 64);
  std::vector<GemmArgs> bound;
  Element *first_a = nullptr, *first_b = nullptr;
  CElement* first_c = nullptr;
  if (launch.bias != nullptr) {
    fill<<<1024, 256>>>(launch.bias, kBiasElements, 3);
    CHECK(cudaGetLastError());
  }
  if (kScaleElements.a > 0) {
    fill<<<1024, 256>>>(launch.a_scales, kScaleElements.a, 4);
    fill<<<1024, 256>>>(launch.b_scales, kScalesOfB, 5);
    CHECK(cudaGetLastError());
  }
  if (launch.residual != nullptr) {
    fill<<<1024, 256>>>(launch.residual, kSpanOfC, 6);
    CHECK(cudaGetLastError());
  }
  if (launch.scale_c != nullptr) {
    const float scale = 16 / sqrtf(static_cast<float>(kK));
    CHECK(cudaMemcpy(launch.scale_c, &scale, sizeof scale, cudaMemcpyHostToDevice));
  }
  for (i64 i = 0; i < sets; ++i) {
    Element* const a = device_array<Element>(kElementsOfA);
    Element* const b = device_array<Element>(kElementsOfB);
    CElement* const c = device_array<CElement>(kSpanOfC);
    fill<<<1024, 256>>>(a, kElementsOfA, 1);
    CHECK(cudaGetLastError());
    fill<<<1024, 256>>>(b, kElementsOfB, 2);
    CHECK(cudaGetLastError());
    bound.push_back(launch.bind(a, b, c));
    if (i == 0) {
      first_a = a;
      first_b = b;
      first_c = c;
    }
  }
  Findings* const findings = device_array<Findings>(1);
  const Given given{.a = first_a,
                    .b = first_b,
                    .bias = launch.bias,
                    .scales = bound[0].scales,
                    .result = bound[0].result,
                    .group_numbers = launch.group_numbers};
  const i64 step = static_cast<i64>(kMultiplyAdds / 0x1p40) + 1;
  for (int again = 0; again < 2; ++again) {  // a workspace is left ready for the next launch
    CHECK(cudaMemset(first_c, 0xff, kSpanOfC * sizeof(CElement)));
    launch(bound[0]);
    compare<<<4096, 256>>>(given, first_c, step, findings);
    CHECK(cudaGetLastError());
  }
  Findings found{};
  CHECK(cudaMemcpy(&found, findings, sizeof found, cudaMemcpyDeviceToHost));
  if (found.wrong != 0) {
    std::printf("WRONG: %llu of %lld elements\n", found.wrong,
                2 * ((kElementsOfC + step - 1) / step));
    return 1;
  }
  if (launch.amax != nullptr) {
    float amax = 0;
    CHECK(cudaMemcpy(&amax, launch.amax, sizeof amax, cudaMemcpyDeviceToHost));
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
              2e-6 * kMultiplyAdds / time, TILECAST_FORECAST_US);
  return 0;
}

}  // namespace tilecast::emitted

int main() {
  int major = 0, minor = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0) != cudaSuccess) {
    std::fprintf(stderr, "no GPU: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 3;
  }
  if (10 * major + minor != TILECAST_COMPUTE_CAPABILITY) {
    std::fprintf(stderr, "the kernel needs compute capability %d, this GPU has %d\n",
                 TILECAST_COMPUTE_CAPABILITY, 10 * major + minor);
    return 3;
  }
  return tilecast::emitted::run();
}
