// Device memory that is zero when it is handed out: what kernels keep between their launches.
#pragma once

#include <cstddef>
#include <memory>

namespace tilecast {

class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  /// Waits until it is zero. Throws CudaError where there is no room.
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
