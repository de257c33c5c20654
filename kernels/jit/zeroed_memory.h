// Zero-initialized device memory, for state that kernels keep between launches.
#pragma once

#include <cstddef>
#include <memory>

namespace tilecast {

class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  /// Waits until the memory is zeroed. Throws CudaError if allocation fails.
  explicit ZeroedMemory(std::size_t bytes);

  template <class T>
  T* as() const {
    return static_cast<T*>(pointer_.get());
  }

 private:
  struct Free {
    void operator()(void* pointer) const;
  };
  std::unique_ptr<void, Free> pointer_;
};

}  // namespace tilecast
