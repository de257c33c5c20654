// A process is a coroutine for one actor of the simulated machine, such as a role of a kernel.
//
// A process starts when the engine spawns it or another process awaits it. It suspends to wait for
// a time or a barrier, and records the barrier so that a deadlock can be reported.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "model/base/integers.h"
#include "model/sim/engine/frame_pool.h"

namespace tilecast {

class Engine;
class PhaseBarrier;

/// Name of a process in error messages.
struct ProcessName {
  const char* role;
  i32 cta = -1;
  i32 index = -1;  // index, if a CTA has several processes of this role
};

class [[nodiscard]] Process {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct promise_type {
    // The fields that every wait uses come first, in the first cache line of the frame.
    promise_type* root = this;  // the spawned process on whose behalf this one runs
    const PhaseBarrier* waits_for = nullptr;
    std::coroutine_handle<> awaiter;  // the awaiting coroutine, for awaited processes
    Engine* engine = nullptr;         // the engine, for spawned processes
    std::exception_ptr failure;
    ProcessName name{};
    promise_type* previous = nullptr;  // list of the engine's live spawned processes
    promise_type* next = nullptr;

    Process get_return_object() { return Process(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { failure = std::current_exception(); }

    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(Handle ended) noexcept;
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }

    static void* operator new(std::size_t bytes) { return FramePool::of_thread().take(bytes); }
    static void operator delete(void* frame, std::size_t bytes) {
      FramePool::of_thread().give(frame, bytes);
    }
  };

  explicit Process(Handle handle) : handle_(handle) {}
  Process(Process&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Process& operator=(Process&&) = delete;
  ~Process() {
    if (handle_) {
      handle_.destroy();
    }
  }

  /// Runs the awaited process; the process that awaits it is suspended meanwhile.
  auto operator co_await() const {
    struct Awaiter {
      Handle part;
      bool await_ready() { return false; }
      std::coroutine_handle<> await_suspend(Handle whole) {
        part.promise().root = whole.promise().root;
        part.promise().awaiter = whole;
        return part;
      }
      void await_resume() {
        if (part.promise().failure) {
          std::rethrow_exception(part.promise().failure);
        }
      }
    };
    return Awaiter{handle_};
  }

  Handle release() { return std::exchange(handle_, nullptr); }

 private:
  Handle handle_;
};

}  // namespace tilecast
