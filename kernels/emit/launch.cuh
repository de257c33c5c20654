// An emitted kernel on this device: one cluster of CTAs for each worker.
#pragma once

#include <algorithm>

#include "kernels/emit/buffers.cuh"

namespace tilecast::emitted {

/// The kernel on this device; bound to buffers once, launched many times, one launch after
/// another. Two at once would share the workspace, and with reduction=spread each could hold half
/// of the SMs and wait for its other pieces.
struct Launch {
  Launch() {
    check(cudaFuncSetAttribute(tilecast_gemm, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               kSharedBytes));
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(Config::kClusterSize), 1, 1};
    config.gridDim = {static_cast<unsigned>(Config::kClusterSize), 1, 1};
    config.blockDim = {static_cast<unsigned>(Config::kThreads), 1, 1};
    config.dynamicSmemBytes = kSharedBytes;
    config.attrs = &cluster;
    config.numAttrs = Config::kClusterSize > 1 ? 1 : 0;
    int sms = 0, most = 0;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    if (Config::kClusterSize > 1) {
      check(cudaOccupancyMaxActiveClusters(&most, tilecast_gemm, &config));
    } else {
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, tilecast_gemm, Config::kThreads,
                                                          kSharedBytes));
      most *= sms;
    }
    if constexpr (Config::kAccumulators > 0) {  // tensor memory holds no more
      most = std::min(
          most, 512 / static_cast<int>(Config::kTensorMemoryAsked) * sms / Config::kClusterSize);
    }
    u32 workers = 0;
    args = launch_args(static_cast<u32>(most), workers);
    config.gridDim = {workers * static_cast<unsigned>(Config::kClusterSize), 1, 1};
  }

  GemmArgs bind(const DeviceBuffers& buffers) const { return bound_args(args, buffers); }

  void operator()(const GemmArgs& bound) const {
    void* arguments[] = {const_cast<GemmArgs*>(&bound)};
    check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(tilecast_gemm), arguments));
  }

  GemmArgs args{};
  cudaLaunchAttribute cluster{};
  cudaLaunchConfig_t config{};
};

}  // namespace tilecast::emitted
