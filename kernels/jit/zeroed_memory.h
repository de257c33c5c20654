// Device memory that the CTAs of a launch share besides the operands (locks, counters, partial
// results): zeroed at first, since kernels keep their state there between launches.
#pragma once

#include <cstddef>
#include <memory>

namespace tilecast {

/// Who owns that memory.
enum class WorkspaceOwner {
  kLaunch,  // the launch object; its launches must be ordered
  kCaller,  // the caller, who sets the workspace in the result of bind()
};

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
