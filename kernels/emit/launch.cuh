// Launches an emitted kernel on this device: one cluster of CTAs for each worker.
#pragma once

#include <algorithm>

#include "kernels/emit/device.cuh"

namespace tilecast::emitted {

/// The kernel on this device, bound to buffers once, for launches one after another. Two concurrent
/// launches would share the workspace. With reduction=spread, each could hold half of the SMs while
/// its CTAs wait for CTAs that cannot start: a deadlock.
struct Launch {
  Launch() {
    check(cudaFuncSetAttribute(kKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
    if constexpr (kClusterSize > 8) {
      check(cudaFuncSetAttribute(kKernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    }
    config.gridDim = {static_cast<unsigned>(kClusterSize), 1, 1};
    config.blockDim = {static_cast<unsigned>(Config::kThreads), 1, 1};
    config.dynamicSmemBytes = kSharedBytes;
    int sms = 0, most = 0;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    if constexpr (kClusterSize > 1) {
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim = {static_cast<unsigned>(kClusterSize), 1, 1};
      config.attrs = &cluster;
      config.numAttrs = 1;
      check(cudaOccupancyMaxActiveClusters(&most, kKernel, &config));
    } else {
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, kKernel, Config::kThreads,
                                                          kSharedBytes));
      most *= sms;
    }
    if constexpr (kTensorMemoryColumns > 0) {  // tensor memory holds no more CTAs
      most = std::min(most, 512 / kTensorMemoryColumns * sms / kClusterSize);
    }
    u32 workers = 0;
    args = launch_args(static_cast<u32>(most), workers);
    config.gridDim = {workers * static_cast<unsigned>(kClusterSize), 1, 1};
  }

  void operator()(const Arguments& bound) const {
    void* arguments[] = {const_cast<Arguments*>(&bound)};
    check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kKernel), arguments));
  }

  Arguments args{};
  cudaLaunchAttribute cluster{};
  cudaLaunchConfig_t config{};
};

}  // namespace tilecast::emitted
