// Memory pool for coroutine frames, with free lists by size: starting a process does not allocate
// once the maximum number of live processes has been reached. One pool per thread; results never
// depend on it.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <utility>

namespace tilecast {

class FramePool {
 public:
  static FramePool& of_thread() {
    thread_local FramePool pool;
    return pool;
  }

  FramePool() = default;
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;
  ~FramePool() {
    for (Free* list : lists_) {
      while (list != nullptr) {
        free_frame(std::exchange(list, list->next));
      }
    }
  }

  void* take(std::size_t bytes) {
    const std::size_t list = list_of(bytes);
    if (list >= lists_.size()) {
      return new_frame(bytes);
    }
    if (lists_[list] == nullptr) {
      return new_frame((list + 1) * kStep);
    }
    return std::exchange(lists_[list], lists_[list]->next);
  }

  void give(void* frame, std::size_t bytes) {
    const std::size_t list = list_of(bytes);
    if (list >= lists_.size()) {
      free_frame(frame);
      return;
    }
    lists_[list] = new (frame) Free{lists_[list]};
  }

 private:
  struct Free {
    Free* next;
  };
  // The host's cache line. The most used fields are at the start of a frame.
  static constexpr std::size_t kStep = 64;
  static void* new_frame(std::size_t bytes) {
    return ::operator new(bytes, std::align_val_t{kStep});
  }
  static void free_frame(void* frame) { ::operator delete(frame, std::align_val_t{kStep}); }
  static std::size_t list_of(std::size_t bytes) { return (bytes - 1) / kStep; }

  std::array<Free*, 32> lists_{};
};

}  // namespace tilecast
