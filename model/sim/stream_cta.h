// One CTA of a memory-bound kernel, and the steps that its processes in schedules/ are made of;
// these read like the kernels in kernels/stream. Threads that do the same are one process.
#pragma once

#include <algorithm>
#include <vector>

#include "model/sim/phase_barrier.h"
#include "model/sim/process.h"
#include "model/sim/stream_machine.h"

namespace tilecast {

class StreamCta {
 public:
  StreamCta(StreamMachine& machine, i32 slot)
      : machine_(machine),
        slot_(slot),
        sm_(slot % static_cast<i32>(machine.intake.size())),
        landed_(static_cast<std::size_t>(machine.config.stages)),
        stored_(static_cast<std::size_t>(machine.config.stages)) {}

  /// As a fresh CTA that runs worker `worker`; `done` gets one arrival for each process.
  void begin(u32 worker, PhaseBarrier& done) {
    worker_ = worker;
    done_ = &done;
    engine_free_ = {};
  }

  StreamMachine& machine() { return machine_; }
  Engine& engine() { return machine_.engine; }
  const StreamCosts& costs() const { return machine_.costs; }
  i32 stages() const { return machine_.config.stages; }
  i32 slot() const { return slot_; }

  // The walk: blocks of this worker.
  u32 first() const { return machine_.walk.first(worker_); }
  u32 next(u32 index) const { return machine_.walk.next(index); }
  u32 end() const { return machine_.walk.end(worker_); }

  /// Asks for a block's inputs, to a stage; when they have landed is landed(stage).
  void load(u32 index, i32 stage) {
    begun_ = engine().now();
    landed_[at(stage)] = machine_.load(index, sm_);
  }
  SimTime landed(i32 stage) const { return landed_[at(stage)]; }

  /// Threads add, or only take, what has landed, and store it; when they are ready for more.
  SimTime store(u32 index, i32 stage) {
    machine_.store(index);
    const SimTime ready = engine().now() + costs().turn;
    record(index, stage, ready);
    return ready;
  }

  /// The copy engine stores a stage; when it has read its source is read_out(stage).
  void bulk_store(u32 index, i32 stage) {
    machine_.store(index);
    const double bytes = static_cast<double>(machine_.block_bytes(index));
    engine_free_ =
        std::max(engine_free_, engine().now()) + SimTime{std::llround(bytes * costs().read_out)};
    stored_[at(stage)] = engine_free_ + costs().bulk;
    record(index, stage, stored_[at(stage)]);
  }
  SimTime read_out(i32 stage) const { return stored_[at(stage)]; }

  /// The end of a process, at its own time.
  void finish(SimTime ready) {
    machine_.last = std::max(machine_.last, ready);
    done_->arrive(ready);
  }

 private:
  static std::size_t at(i32 stage) { return static_cast<std::size_t>(stage); }

  void record(u32 index, i32 stage, SimTime stored) {
    if (machine_.tiles == nullptr) {
      return;
    }
    const BlockCoord place = machine_.walk.coord(index);
    machine_.tiles->push_back({.sm = sm_,
                               .cta = slot_,
                               .warpgroup = 0,
                               .tile_m = place.band,
                               .tile_n = place.column,
                               .begin = std::min(begun_, landed(stage)),
                               .first_operands = landed(stage),
                               .multiplied = engine().now(),
                               .stored = stored});
  }

  StreamMachine& machine_;
  i32 slot_, sm_;
  u32 worker_ = 0;
  SimTime begun_, engine_free_;
  std::vector<SimTime> landed_, stored_;
  PhaseBarrier* done_ = nullptr;
};

}  // namespace tilecast
