// Owners of resources of the CUDA runtime. Each constructor throws if the allocation fails.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/jit/cuda_error.h"

namespace tilecast {

/// Device memory, released with the object. Alignment is cudaMalloc's, at least 256 bytes.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(std::size_t bytes) : bytes_(bytes) {
    TILECAST_CUDA(cudaMalloc(&pointer_, bytes));
  }
  ~DeviceMemory() { cudaFree(pointer_); }
  DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    swap(other);
    return *this;
  }

  /// Grows to at least `bytes`; growing discards the contents.
  void reserve(std::size_t bytes) {
    if (bytes > bytes_) {
      // the old memory is released first, because both together may not fit
      DeviceMemory().swap(*this);
      DeviceMemory(bytes).swap(*this);
    }
  }

  template <class T = std::byte>
  T* as(std::size_t byte_offset = 0) const {
    return reinterpret_cast<T*>(static_cast<std::byte*>(pointer_) + byte_offset);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  void swap(DeviceMemory& other) noexcept {
    std::swap(pointer_, other.pointer_);
    std::swap(bytes_, other.bytes_);
  }

  void* pointer_ = nullptr;
  std::size_t bytes_ = 0;
};

class Stream {
 public:
  Stream() { TILECAST_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }
  void synchronize() const { TILECAST_CUDA(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Copies `count` values of T from `source` on the device to the host, once the stream is idle.
template <class T>
std::vector<T> copy_to_host(const T* source, std::size_t count, cudaStream_t stream) {
  std::vector<T> values(count);
  TILECAST_CUDA(cudaStreamSynchronize(stream));
  TILECAST_CUDA(cudaMemcpy(values.data(), source, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

}  // namespace tilecast
