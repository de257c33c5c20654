// The discrete-event engine: simulated time, and the processes that live in it.
//
// Events fire in the order (time, sequence of scheduling), never by an address or a hash, so equal
// inputs give equal runs. Scheduling in the past throws. When processes wait and no event is left,
// the error names each of them and the barrier that it waits for.
// Checked by: engine_test.cpp.
#pragma once

#include <exception>

#include "model/base/error.h"
#include "model/base/sim_time.h"
#include "model/sim/engine/event_queue.h"
#include "model/sim/engine/process.h"

namespace tilecast {

/// Our own error: a kernel's model that cannot go on.
struct SimulationError : Error {
  explicit SimulationError(const std::string& message) : Error(ExitCode::kWrong, message) {}
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  SimTime now() const { return now_; }
  u64 events() const { return queue_.pushed(); }

  void schedule(SimTime at, std::coroutine_handle<> resume) {
    if (at < now_) {
      refuse_past(at);
    }
    queue_.push(at, resume);
  }

  /// The engine owns the process from here on and starts it at `at`.
  void spawn(Process process, ProcessName name, SimTime at);

  /// Until every process has ended. Throws what a process throws, or a SimulationError where
  /// processes wait for ever.
  void run();

  /// Awaited: continues at `at`, at once where that has passed.
  auto until(SimTime at) {
    struct Awaiter {
      Engine& engine;
      SimTime at;
      bool await_ready() const { return at <= engine.now(); }
      void await_suspend(std::coroutine_handle<> process) const { engine.schedule(at, process); }
      void await_resume() const {}
    };
    return Awaiter{*this, at};
  }

  // For process.h: a spawned process has ended.
  void ended(Process::promise_type& process) noexcept;

 private:
  [[noreturn]] void refuse_past(SimTime at) const;
  std::string deadlock_report() const;

  EventQueue queue_;
  SimTime now_;
  Process::promise_type* live_ = nullptr;
  std::exception_ptr failure_;
};

}  // namespace tilecast
