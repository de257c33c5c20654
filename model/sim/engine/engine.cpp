#include "model/sim/engine/engine.h"

#include <fmt/format.h>

#include <utility>

#include "model/base/parallel.h"
#include "model/sim/engine/phase_barrier.h"

namespace tilecast {
namespace {

constexpr int kMostNamed = 12;  // maximum number of waiting processes that an error names
constexpr unsigned kEventsPerPoll = 4096;  // of a request to stop; about 0.2 ms

std::string to_text(const ProcessName& name) {
  std::string text = name.role;
  if (name.index >= 0) {
    text += fmt::format(" {}", name.index);
  }
  return name.cta >= 0 ? text + fmt::format(" of CTA {}", name.cta) : text;
}

}  // namespace

std::coroutine_handle<> Process::promise_type::Final::await_suspend(Handle ended) noexcept {
  promise_type& promise = ended.promise();
  if (promise.awaiter) {
    return promise.awaiter;
  }
  promise.engine->ended(promise);
  ended.destroy();
  return std::noop_coroutine();
}

Engine::~Engine() {
  while (live_ != nullptr) {
    Process::promise_type* process = std::exchange(live_, live_->next);
    Process::Handle::from_promise(*process).destroy();
  }
}

void Engine::spawn(Process process, ProcessName name, SimTime at) {
  const Process::Handle handle = process.release();
  Process::promise_type& promise = handle.promise();
  promise.engine = this;
  promise.name = name;
  promise.next = live_;
  if (live_ != nullptr) {
    live_->previous = &promise;
  }
  live_ = &promise;
  schedule(at, handle);
}

void Engine::ended(Process::promise_type& process) noexcept {
  if (process.failure && !failure_) {
    failure_ = process.failure;
  }
  (process.previous != nullptr ? process.previous->next : live_) = process.next;
  if (process.next != nullptr) {
    process.next->previous = process.previous;
  }
}

void Engine::run() {
  for (unsigned events = 1; !queue_.empty(); ++events) {
    if (events % kEventsPerPoll == 0) {
      throw_if_stopped();
    }
    const Event event = queue_.pop();
    now_ = event.at;
    event.resume.resume();
    if (failure_) {
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
  }
  if (live_ != nullptr) {
    throw SimulationError(deadlock_report());
  }
}

void Engine::refuse_past(SimTime at) const {
  throw SimulationError(
      fmt::format("an event was scheduled in the past: at {} ps, now {} ps", at.ps, now_.ps));
}

std::string Engine::deadlock_report() const {
  std::string report = fmt::format("everything waits at {} ps:", now_.ps);
  int named = 0;
  int waiting = 0;
  for (const auto* process = live_; process != nullptr; process = process->next) {
    ++waiting;
    if (named < kMostNamed) {
      ++named;
      report += fmt::format("\n  {} waits for {}", to_text(process->name),
                            process->waits_for ? process->waits_for->describe() : "nothing");
    }
  }
  return waiting > named ? report + fmt::format("\n  and {} more", waiting - named) : report;
}

}  // namespace tilecast
