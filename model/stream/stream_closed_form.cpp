#include "model/stream/stream_closed_form.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/base/math.h"
#include "model/base/smooth_max.h"
#include "model/stream/stream_block.h"
#include "model/stream/stream_occupancy.h"

namespace tilecast {
namespace {

// Below this share of the kernel's time the stream is not what bounds it.
constexpr double kStreamMatters = 0.5;

/// Reads and writes one after the other, nothing lost.
Seconds time_at_measured_rates(const DramSpec& dram, const StreamProblem& problem) {
  const Bytes matrix{matrix_bytes(problem)};
  return transfer_time(matrix * input_count(problem.op), dram.read_rate) +
         transfer_time(matrix, dram.write_rate);
}

/// Of a CTA between a block's arrival and its next loads.
Seconds work_of_block(const StreamSpec& stream, const StreamConfig& config, ElementType dtype,
                      Hertz sm_clock) {
  const double bytes = block_bytes(config, dtype);
  if (uses_tma(config.schedule)) {
    return stream.bulk_store +
           time_of(transfer_cycles(Bytes{bytes}, stream.bulk_read_out), sm_clock);
  }
  return stream.turn + time_of(small_copies_of_block(stream, config, dtype), sm_clock);
}

/// From one block of a CTA to its next, or to its successor's in the slot.
Seconds turn_of_block(const StreamSpec& stream, const StreamConfig& config, Seconds latency,
                      Seconds work, Hertz sm_clock) {
  if (one_block_a_cta(config.order)) {
    return latency + work + time_of(stream.cta_refill, sm_clock);
  }
  return config.stages == 1 ? latency + work
                            : std::max(work, (latency + work) / (config.stages - 1));
}

/// What goes into shared memory and out of it: inputs each way, and C where it leaves from there.
Bytes shared_bytes(const StreamConfig& config, Bytes read, Bytes write) {
  if (plain_loads(config.schedule)) {
    return Bytes{0};
  }
  return uses_tensor_maps(config.schedule) ? (read + write) * 2 : read * 2;
}

}  // namespace

Bytes bytes_in_flight(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype) {
  return stream_bytes_in_flight(config, dtype, resident_stream_ctas(gpu, config, dtype));
}

RateShares rate_shares(const GpuSpec& gpu, const StreamProblem& problem, Seconds time) {
  return {transfer_time(Bytes{stream_bytes(problem)}, gpu.dram->bandwidth) / time,
          time_at_measured_rates(*gpu.dram, problem) / time};
}

StreamForm stream_closed_form(const GpuSpec& gpu, const StreamProblem& problem,
                              const StreamConfig& config, Hertz sm_clock) {
  const StreamSpec& stream = *gpu.stream;
  const i32 resident = resident_stream_ctas(gpu, config, problem.dtype);
  TILECAST_ASSERT(resident > 0);
  const u32 slots = static_cast<u32>(resident * gpu.sm.count);
  const BlockWalk walk = stream_walk(config, problem, slots);

  StreamForm form{};
  form.dram_write = Bytes{matrix_bytes(problem)};
  form.dram_read = form.dram_write * input_count(problem.op);
  form.shared_memory = shared_bytes(config, form.dram_read, form.dram_write);
  const Bytes moved = form.dram_read + form.dram_write;
  const Bytes in_flight = bytes_in_flight(gpu, config, problem.dtype);
  const StreamLosses losses = stream_losses(stream, config, problem.dtype, in_flight);
  const Seconds dram = time_at_measured_rates(*gpu.dram, problem) / (1 - losses.total());

  const Seconds latency = stream_block_latency(stream, config, problem.dtype);
  const Seconds work = work_of_block(stream, config, problem.dtype, sm_clock);
  const double blocks_of_slot = static_cast<double>(walk.blocks) / std::min(walk.workers, slots);
  Seconds flight =
      work + turn_of_block(stream, config, latency, work, sm_clock) * (blocks_of_slot - 1);
  if (one_block_a_cta(config.order)) {
    flight = std::max(flight, stream.cta_launch * walk.workers);
  }
  if (config.order == BlockOrder::kTickets) {
    const double planned = static_cast<double>(walk.workers) * config.stages;
    flight = std::max(flight, stream.ticket * std::max(0.0, walk.blocks - planned));
  }
  // Copies with 24 to 40 KiB of an SM in flight (in_flight_8_gib.csv.gz) come down in such a bend.
  const Seconds streaming = smooth_max<kInBursts>({dram, flight});
  const Seconds total = stream.kernel + latency + streaming;

  form.parts = {stream.kernel, latency, dram, flight, losses, in_flight};
  form.cycles = cycles_of(total, sm_clock);
  form.shares.dram = dram / total;
  if (gpu.machine) {  // else nobody has said what these parts take
    const double of_an_sm = 1 / (gpu.sm.count * form.cycles.value);
    form.shares.shared_memory = form.shared_memory.value * of_an_sm / operand_rate(gpu).value;
    form.shares.sm_intake = form.dram_read.value * of_an_sm / gpu.machine->intake.value;
    form.shares.l2 = moved.value / gpu.machine->l2_output.value / total.value;
  }
  form.limiter = streaming < total * kStreamMatters ? Limiter::kLaunch
                 : dram > flight                    ? Limiter::kDram
                                                    : Limiter::kLatency;
  return form;
}

}  // namespace tilecast
