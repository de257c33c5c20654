// Discrete-event engine: advances simulated time and runs processes.
//
// Events fire in order of (time, sequence of scheduling), never by address or hash, so equal inputs
// give equal runs. Scheduling in the past throws. On deadlock the error names each waiting process
// and its barrier. Checked by: engine_test.cpp.
#pragma once

#include <exception>

#include "model/base/error.h"
#include "model/base/sim_time.h"
#include "model/sim/engine/event_queue.h"
#include "model/sim/engine/process.h"

namespace tilecast {

/// Reports a bug in a kernel's model, such as a deadlock.
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

  /// Takes ownership of the process and starts it at `at`.
  void spawn(Process process, ProcessName name, SimTime at);

  /// Runs until every process has ended. Rethrows exceptions of processes; throws SimulationError
  /// on deadlock.
  void run();

  /// co_await: continues at `at`, or immediately if `at` has passed.
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

  // Called by process.h when a spawned process has ended.
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
