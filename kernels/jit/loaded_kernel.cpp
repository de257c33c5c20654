#include "kernels/jit/loaded_kernel.h"

#include <utility>

#include "kernels/jit/cuda_error.h"

namespace tilecast {
namespace {

/// A runtime launch configuration, with storage for its attribute.
class LaunchConfig {
 public:
  LaunchConfig(const LaunchShape& shape, cudaStream_t stream) {
    if (shape.cluster_size > 1) {
      config_.numAttrs = 1;
      cluster_.id = cudaLaunchAttributeClusterDimension;
      cluster_.val.clusterDim = {static_cast<unsigned>(shape.cluster_size), 1, 1};
    }
    config_.gridDim = {shape.ctas, 1, 1};
    config_.blockDim = {static_cast<unsigned>(shape.threads), 1, 1};
    config_.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_memory_bytes);
    config_.stream = stream;
    config_.attrs = &cluster_;
  }
  LaunchConfig(const LaunchConfig&) = delete;
  LaunchConfig& operator=(const LaunchConfig&) = delete;

  const cudaLaunchConfig_t* get() const { return &config_; }

 private:
  cudaLaunchAttribute cluster_{};
  cudaLaunchConfig_t config_{};
};

}  // namespace

LoadedKernel::LoadedKernel(const std::string& cubin, const char* entry) {
  TILECAST_CUDA(
      cudaLibraryLoadData(&library_, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  try {
    TILECAST_CUDA(cudaLibraryGetKernel(&kernel_, library_, entry));
  } catch (...) {
    (void)cudaLibraryUnload(library_);
    throw;
  }
}

LoadedKernel::~LoadedKernel() {
  if (library_ != nullptr) {
    (void)cudaLibraryUnload(library_);  // a destructor cannot report an error
  }
}

LoadedKernel::LoadedKernel(LoadedKernel&& other) noexcept
    : library_(std::exchange(other.library_, nullptr)),
      kernel_(std::exchange(other.kernel_, nullptr)) {}

LoadedKernel& LoadedKernel::operator=(LoadedKernel&& other) noexcept {
  std::swap(library_, other.library_);
  std::swap(kernel_, other.kernel_);
  return *this;
}

cudaFuncAttributes LoadedKernel::attributes() const {
  cudaFuncAttributes attributes{};
  TILECAST_CUDA(cudaFuncGetAttributes(&attributes, function()));
  return attributes;
}

void LoadedKernel::allow_shared_memory(i32 bytes) {
  TILECAST_CUDA(
      cudaFuncSetAttribute(function(), cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

void LoadedKernel::allow_large_clusters() {
  TILECAST_CUDA(
      cudaFuncSetAttribute(function(), cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
}

i32 LoadedKernel::resident_ctas_per_sm(const LaunchShape& shape) const {
  int ctas = 0;
  TILECAST_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &ctas, function(), shape.threads, static_cast<std::size_t>(shape.shared_memory_bytes)));
  return ctas;
}

i32 LoadedKernel::resident_clusters(const LaunchShape& shape) const {
  const LaunchConfig config(shape, nullptr);
  int clusters = 0;
  TILECAST_CUDA(cudaOccupancyMaxActiveClusters(&clusters, function(), config.get()));
  return clusters;
}

void LoadedKernel::launch(const LaunchShape& shape, void** arguments, cudaStream_t stream) const {
  const LaunchConfig config(shape, stream);
  TILECAST_CUDA(cudaLaunchKernelExC(config.get(), function(), arguments));
}

}  // namespace tilecast
