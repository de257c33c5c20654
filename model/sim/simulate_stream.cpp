#include "model/sim/simulate_stream.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/sim/schedules/stream_roles.h"

namespace tilecast {
namespace {

/// A place where one CTA lives at a time.
struct Slot {
  StreamCta cta;
  PhaseBarrier done;
  std::unique_ptr<StreamRing> ring;  // of the schedule that has roles
};

i32 processes(StreamSchedule schedule) {
  return schedule == StreamSchedule::kElementwiseAddTmaWarpSpecialized ? 3 : 1;
}

void start(Slot& slot, SimTime at) {
  StreamCta& cta = slot.cta;
  Engine& engine = cta.engine();
  const auto spawn = [&](Process process, const char* role) {
    engine.spawn(std::move(process), {role, cta.slot()}, at);
  };
  switch (cta.machine().config.schedule) {
    case StreamSchedule::kMemcpy:
    case StreamSchedule::kElementwiseAdd:
      return spawn(elementwise_add(cta), "threads");
    case StreamSchedule::kMemcpyCpAsync:
    case StreamSchedule::kElementwiseAddCpAsync:
      return spawn(elementwise_add_cpasync(cta), "threads");
    case StreamSchedule::kElementwiseAddPipelined:
      return spawn(elementwise_add_pipelined(cta), "threads");
    case StreamSchedule::kMemcpyTma:
      return spawn(memcpy_tma(cta), "thread");
    case StreamSchedule::kElementwiseAddTma:
      return spawn(elementwise_add_tma(cta), "threads");
    case StreamSchedule::kElementwiseAddTmaWarpSpecialized:
      slot.ring = std::make_unique<StreamRing>(cta.machine());
      spawn(load_blocks(cta, *slot.ring), "loading warp");
      spawn(add_blocks(cta, *slot.ring), "adding warps");
      return spawn(store_blocks(cta, *slot.ring), "storing warp");
  }
}

Process run_slot(StreamMachine& machine, Slot& slot, u32& next_worker) {
  for (u32 phase = 0; next_worker < machine.walk.workers; ++phase) {
    slot.cta.begin(next_worker++, slot.done);
    start(slot, machine.launches.serve(machine.engine.now(), machine.costs.launch));
    co_await slot.done.wait(phase, {}, machine.costs.refill);
  }
}

Bytes bytes(i64 count) { return {static_cast<double>(count)}; }

double share(SimTime busy, SimTime all) {
  return static_cast<double>(busy.ps) / static_cast<double>(all.ps);
}

}  // namespace

Simulated simulate_stream(const GpuSpec& gpu, const StreamProblem& problem,
                          const StreamConfig& config, i32 ctas_per_sm, Hertz sm_clock,
                          Observers observers) {
  if (!gpu.stream) {
    throw ConfigError(fmt::format(
        "{}: expected a section stream, the measured constants of memory-bound kernels; it has "
        "none",
        gpu.name));
  }
  StreamMachine machine(gpu, problem, config, ctas_per_sm, sm_clock, observers.activity,
                        observers.tiles);
  u32 next_worker = 0;
  const i32 count = static_cast<i32>(std::min(machine.slots, machine.walk.workers));
  std::vector<std::unique_ptr<Slot>> slots;
  for (i32 i = 0; i < count; ++i) {
    slots.push_back(std::unique_ptr<Slot>(new Slot{
        {machine, i}, {machine.engine, processes(config.schedule), "end of", i}, nullptr}));
    machine.engine.spawn(run_slot(machine, *slots.back(), next_worker), {"place", -1, i}, {});
  }
  machine.engine.run();

  const SimTime end = std::max(machine.last, machine.dram.free_at()) + machine.costs.kernel;
  return {.cycles = cycles_of(seconds_of(end), sm_clock),
          .time = seconds_of(end),
          .l2_to_sm = bytes(machine.read),
          .l2_output = bytes(machine.read),
          .l2_far = {},
          .sm_intake = bytes(machine.read),
          .sums_written = {},
          .sums_read = {},
          .dram_read = bytes(machine.read),
          .dram_write = bytes(machine.written),
          .operand_reads = {},
          .tensor_share = 0,
          .l2_share = share(machine.l2_output.busy(), end),
          .dram_share = share(machine.dram.busy(), end),
          .tiles = machine.stored,
          .k_blocks = machine.loaded,
          .events = machine.engine.events()};
}

}  // namespace tilecast
