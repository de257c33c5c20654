#include "model/sim/simulate_stream.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/math.h"
#include "model/sim/schedules/stream_roles.h"

namespace tilecast {
namespace {

// Blocks that each place runs, in the longest beginning of a problem that is simulated.
constexpr i64 kRounds = 128;

/// A place where one CTA lives at a time.
struct StreamSlot {
  StreamCta cta;
  PhaseBarrier done;
  std::unique_ptr<StreamRing> ring;  // of the schedule that has roles
};

i32 processes(StreamSchedule schedule) {
  return schedule == StreamSchedule::kElementwiseAddTmaWarpSpecialized ? 3 : 1;
}

void start(StreamSlot& slot, SimTime at) {
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

Process run_slot(StreamMachine& machine, StreamSlot& slot, u32& next_worker) {
  for (u32 phase = 0; next_worker < machine.walk.workers; ++phase) {
    slot.cta.begin(next_worker++, slot.done);
    start(slot, machine.launches.serve(machine.engine.now(), machine.costs.launch));
    co_await slot.done.wait(phase, {}, machine.costs.refill);
  }
}

Bytes bytes_of(i64 count) { return {static_cast<double>(count)}; }

double busy_share(SimTime busy, SimTime all) {
  return static_cast<double>(busy.ps) / static_cast<double>(all.ps);
}

Simulated simulate_whole(const GpuSpec& gpu, const StreamProblem& problem,
                         const StreamConfig& config, i32 ctas_per_sm, Hertz sm_clock,
                         Observers observers) {
  StreamMachine machine(gpu, problem, config, ctas_per_sm, sm_clock, observers.activity,
                        observers.tiles);
  u32 next_worker = 0;
  const i32 count = static_cast<i32>(std::min(machine.slots, machine.walk.workers));
  std::vector<std::unique_ptr<StreamSlot>> slots;
  for (i32 i = 0; i < count; ++i) {
    slots.push_back(std::unique_ptr<StreamSlot>(new StreamSlot{
        {machine, i}, {machine.engine, processes(config.schedule), "end of", i}, nullptr}));
    machine.engine.spawn(run_slot(machine, *slots.back(), next_worker), {"place", -1, i}, {});
  }
  machine.engine.run();

  // Half of a load's latency is the way to DRAM: the first load's, or the last store's.
  const SimTime stored = machine.dram.free_at() + SimTime{machine.costs.latency.ps / 2};
  const SimTime end = std::max(machine.last, stored) + machine.costs.kernel;
  return {.cycles = cycles_of(seconds_of(end), sm_clock),
          .time = seconds_of(end),
          .l2_to_sm = bytes_of(machine.read),
          .l2_output = bytes_of(machine.read),
          .l2_far = {},
          .sm_intake = bytes_of(machine.read),
          .sums_written = {},
          .sums_read = {},
          .dram_read = bytes_of(machine.read),
          .dram_write = bytes_of(machine.written),
          .operand_reads = {},
          .tensor_share = 0,
          .l2_share = busy_share(machine.l2_output.busy(), end),
          .dram_share = busy_share(machine.dram.busy(), end),
          .tiles = machine.stored,
          .k_blocks = machine.loaded,
          .events = machine.engine.events()};
}

/// The beginning of a problem: bands, or blocks of the one band, for so many rounds of all CTAs.
StreamProblem beginning(const StreamProblem& seen, const StreamConfig& config, u32 slots,
                        i64 rounds) {
  const i64 blocks_of_band = ceil_div<i64>(seen.columns, config.block_columns);
  const i64 bands = ceil_div<i64>(seen.rows, config.block_rows);
  StreamProblem part = seen;
  if (bands == 1) {
    part.columns = std::min<i64>(seen.columns, slots * rounds * config.block_columns);
  } else {
    part.rows =
        std::min<i64>(seen.rows, ceil_div(slots * rounds, blocks_of_band) * config.block_rows);
  }
  return part;
}

Simulated extrapolated(const Simulated& shorter, const Simulated& longer,
                       const StreamProblem& whole, u32 blocks, Hertz sm_clock) {
  const Bytes write{matrix_bytes(whole)}, read = write * input_count(whole.op);
  const Seconds steady = (longer.time - shorter.time) *
                         ((write - longer.dram_write) / (longer.dram_write - shorter.dram_write));
  const double more = write / longer.dram_write;
  Simulated all = longer;
  all.time = longer.time + steady;
  all.cycles = cycles_of(all.time, sm_clock);
  all.l2_to_sm = all.l2_output = all.sm_intake = all.dram_read = read;
  all.dram_write = write;
  all.l2_share = longer.l2_share * more * (longer.time / all.time);
  all.dram_share = longer.dram_share * more * (longer.time / all.time);
  all.tiles = all.k_blocks = blocks;
  all.events += shorter.events;
  return all;
}

}  // namespace

bool can_simulate(const GpuSpec& gpu, const StreamConfig&) { return gpu.stream && gpu.l2; }

Simulated simulate_stream(const GpuSpec& gpu, const StreamProblem& problem,
                          const StreamConfig& config, i32 ctas_per_sm, Hertz sm_clock,
                          Observers observers) {
  if (!can_simulate(gpu, config)) {
    throw ConfigError(fmt::format(
        "{}: expected sections stream and l2, which the processes of memory-bound kernels need",
        gpu.name));
  }
  const StreamProblem seen = viewed(config, problem);
  const u32 slots = static_cast<u32>(ctas_per_sm * gpu.sm.count);
  const bool watched = observers.activity != nullptr || observers.tiles != nullptr;
  const StreamProblem longer = beginning(seen, config, slots, kRounds);
  // A CTA per band has as many blocks as the band, however few bands there are.
  if (watched || config.order == BlockOrder::kBands ||
      matrix_bytes(longer) * 2 > matrix_bytes(seen)) {
    return simulate_whole(gpu, problem, config, ctas_per_sm, sm_clock, observers);
  }
  // What lies between the two is the steady state, of which the whole problem has more.
  const auto part = [&](i64 rounds) {
    return simulate_whole(gpu, beginning(seen, config, slots, rounds), config, ctas_per_sm,
                          sm_clock, {});
  };
  return extrapolated(part(kRounds / 2), part(kRounds), seen,
                      stream_walk(config, problem, slots).blocks, sm_clock);
}

}  // namespace tilecast
