// A kernel loaded on the GPU and launched with the runtime's library API.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "model/base/integers.h"

namespace tilecast {

struct LaunchShape {
  u32 ctas;  // a multiple of cluster_size
  i32 threads;
  i32 shared_memory_bytes;  // dynamic shared memory
  i32 cluster_size = 1;     // CTAs per cluster, along x
};

/// Owns the module; launched kernels must have ended before it is destroyed. Every member throws
/// CudaError or DeviceError.
class LoadedKernel {
 public:
  /// `cubin` must be for the current device's architecture and contain the function `entry`.
  LoadedKernel(const std::string& cubin, const char* entry);
  ~LoadedKernel();
  LoadedKernel(LoadedKernel&& other) noexcept;
  LoadedKernel& operator=(LoadedKernel&& other) noexcept;

  cudaFuncAttributes attributes() const;

  /// Identical to the driver's CUkernel.
  cudaKernel_t handle() const { return kernel_; }

  /// Required once before a launch or occupancy query with more than 48 KiB of shared memory.
  void allow_shared_memory(i32 bytes);

  /// Needed once before a launch of clusters of more than eight CTAs.
  void allow_large_clusters();

  i32 resident_ctas_per_sm(const LaunchShape& shape) const;
  /// Resident clusters on the whole GPU, as computed by the runtime.
  i32 resident_clusters(const LaunchShape& shape) const;

  /// `arguments` points to one pointer per parameter.
  void launch(const LaunchShape& shape, void** arguments, cudaStream_t stream) const;

 private:
  const void* function() const { return static_cast<const void*>(kernel_); }

  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernel_ = nullptr;
};

}  // namespace tilecast
