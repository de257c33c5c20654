#include "model/sim/stream_machine.h"

#include <algorithm>

#include "model/base/math.h"
#include "model/sim/inside.h"
#include "model/spec/stream_block.h"

namespace tilecast {
namespace {

SimTime times(i64 bytes, double ps_per_byte) {
  return {std::llround(static_cast<double>(bytes) * ps_per_byte)};
}

}  // namespace

StreamCosts stream_costs(const GpuSpec& gpu, const StreamProblem& problem,
                         const StreamConfig& config, i32 ctas_per_sm, Hertz sm_clock) {
  const StreamSpec& stream = *gpu.stream;
  const double inputs = input_count(problem.op);
  const double kept =
      1 - stream_dram_loss(stream, config, problem.dtype, inputs / (inputs + 1),
                           stream_bytes_in_flight(config, problem.dtype, ctas_per_sm));
  const auto by_cycle = [sm_clock](BytesPerCycle rate) {
    return 1e12 / (rate.value * sm_clock.value);
  };
  return {.latency = sim_time(stream_block_latency(stream, config, problem.dtype)),
          .turn = sim_time(stream.turn),
          .copies = sim_time(small_copies_of_block(stream, config, problem.dtype), sm_clock),
          .bulk = sim_time(stream.bulk_store),
          .refill = sim_time(stream.cta_refill, sm_clock),
          .launch = sim_time(stream.cta_launch),
          .ticket = sim_time(stream.ticket),
          .kernel = sim_time(stream.kernel),
          .dram_read = 1e12 / (stream.read_rate.value * kept),
          .dram_write = 1e12 / (stream.write_rate.value * kept),
          .l2_output = 1e12 / gpu.machine->l2_output.value,
          .intake = by_cycle(gpu.machine->intake),
          .read_out = by_cycle(stream.bulk_read_out)};
}

StreamMachine::StreamMachine(const GpuSpec& gpu, const StreamProblem& problem,
                             const StreamConfig& kernel, i32 ctas_per_sm, Hertz sm_clock,
                             Activity* activity_or_null, std::vector<TileSpan>* tiles_or_null)
    : config(kernel),
      seen(viewed(kernel, problem)),
      inputs(input_count(problem.op)),
      slots(static_cast<u32>(ctas_per_sm * gpu.sm.count)),
      walk(stream_walk(kernel, problem, slots)),
      costs(stream_costs(gpu, problem, kernel, ctas_per_sm, sm_clock)),
      intake(static_cast<std::size_t>(gpu.sm.count)),
      activity(activity_or_null),
      tiles(tiles_or_null) {}

i64 StreamMachine::block_bytes(u32 index) const {
  const BlockCoord at = walk.coord(index);
  return inside(i64{at.band} * config.block_rows, config.block_rows, seen.rows) *
         inside(i64{at.column} * config.block_columns, config.block_columns, seen.columns) *
         element_bytes(seen.dtype);
}

SimTime StreamMachine::load(u32 index, i32 sm) {
  const SimTime now = engine.now();
  const i64 bytes = block_bytes(index) * inputs;
  ++loaded;
  read += bytes;
  if (activity != nullptr) {
    activity->add(Resource::kDramRead, now, bytes);
    activity->add(Resource::kL2Output, now, bytes);
    activity->add(Resource::kFills, now, bytes);
  }
  const SimTime served =
      std::max({dram.serve(now, times(bytes, costs.dram_read)),
                l2_output.serve(now, times(bytes, costs.l2_output)),
                intake[static_cast<std::size_t>(sm)].serve(now, times(bytes, costs.intake))});
  return served + costs.latency;
}

void StreamMachine::store(u32 index) {
  const SimTime now = engine.now();
  const i64 bytes = block_bytes(index);
  ++stored;
  written += bytes;
  dram.serve(now, times(bytes, costs.dram_write));
  if (activity != nullptr) {
    activity->add(Resource::kDramWrite, now, bytes);
  }
}

}  // namespace tilecast
