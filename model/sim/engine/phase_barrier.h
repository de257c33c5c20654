// An mbarrier: a phase completes when all its arrivals have been made, and the next phase begins.
//
// An arrival has a time at which it takes effect, now or later: servers that serve in order know
// their completion time in advance, so no event is needed. A phase completes at the latest of its
// arrivals. A pipeline is an array of these: the k-th load through S stages waits for phase k / S -
// 1 of its stage's `empty`, the k-th use for phase k / S of `full`.
//
// Not modelled: the cost of waiting, which is part of the waiter's instructions. Checked by:
// phase_barrier_test.cpp (both sides of the edge).
#pragma once

#include <string>

#include "model/sim/engine/engine.h"

namespace tilecast {

/// Occupies one cache line of the host.
class alignas(64) PhaseBarrier {
 public:
  PhaseBarrier(Engine& engine, i32 arrivals, const char* name, i32 index)
      : engine_(engine), arrivals_(arrivals), index_(index), name_(name) {}

  /// Resets to the initial state; no process may be waiting.
  void reset() {
    arrived_ = 0;
    completed_ = 0;
    latest_ = at_[0] = at_[1] = {};
  }

  void arrive(SimTime at) {
    latest_ = later(latest_, at);
    if (++arrived_ == arrivals_) {
      at_[completed_ & 1] = latest_;
      ++completed_;
      arrived_ = 0;
      latest_ = {};
      if (waiting_ != nullptr) {
        wake();
      }
    }
  }

  class Wait {
   public:
    Wait(PhaseBarrier& barrier, u32 phase, SimTime from, SimTime then)
        : barrier_(barrier), phase_(phase), from_(from), then_(then) {}

    bool await_ready() { return false; }
    bool await_suspend(Process::Handle process) {
      if (barrier_.is_complete(phase_)) {
        const SimTime at = resume_at();
        if (at <= barrier_.engine_.now()) {
          return false;
        }
        barrier_.engine_.schedule(at, process);
        return true;
      }
      process.promise().root->waits_for = &barrier_;
      process_ = process;
      next_ = barrier_.waiting_;
      barrier_.waiting_ = this;
      return true;
    }
    void await_resume() const {}

   private:
    friend class PhaseBarrier;
    SimTime resume_at() const { return later(barrier_.completed_at(phase_), from_) + then_; }

    PhaseBarrier& barrier_;
    u32 phase_;
    SimTime from_, then_;
    Process::Handle process_;
    Wait* next_ = nullptr;
  };

  /// co_await: continues at the later of `from` and the completion of `phase`, plus `then`.
  Wait wait(u32 phase, SimTime from, SimTime then) { return {*this, phase, from, then}; }

  /// Returns a wait for a phase that was complete from the beginning.
  Wait passed(SimTime from, SimTime then) { return {*this, kBeforeFirst, from, then}; }

  i32 arrivals() const { return arrivals_; }  // arrivals per phase
  u32 completed() const { return completed_; }
  std::string describe() const;

 private:
  static constexpr u32 kBeforeFirst = ~u32{0};

  // also true for kBeforeFirst
  bool is_complete(u32 phase) const { return phase + 1 <= completed_; }
  /// Completion time of a complete phase; 0 for phases before the last two, for which no one waits
  /// this late.
  SimTime completed_at(u32 phase) const {
    return phase != kBeforeFirst && completed_ - phase <= 2 ? at_[phase & 1] : SimTime{};
  }
  void wake();  // resumes waiters of the phase just completed

  Engine& engine_;
  i32 arrivals_, arrived_ = 0;
  u32 completed_ = 0;
  i32 index_;
  SimTime latest_;
  SimTime at_[2];
  Wait* waiting_ = nullptr;
  const char* name_;
};

static_assert(sizeof(PhaseBarrier) == 64);

}  // namespace tilecast
