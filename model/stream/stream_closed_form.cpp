#include "model/stream/stream_closed_form.h"

#include <algorithm>
#include <cmath>

#include "model/base/error.h"
#include "model/base/smooth_max.h"
#include "model/stream/stream_occupancy.h"

namespace tilecast {
namespace {

// Fraction of the kernel's time below which it is not reported as memory-bound.
constexpr double kStreamMatters = 0.5;

/// Time of reads, then writes, without losses.
Seconds time_at_measured_rates(const DramSpec& dram, const StreamProblem& problem) {
  const Bytes matrix{matrix_bytes(problem)};
  return transfer_time(matrix * input_count(problem.op), dram.read_rate) +
         transfer_time(matrix, dram.write_rate);
}

// Bytes in flight at which spread_loss and narrow_loss are 0 (gpu_spec.h). Below kLeastSpread no
// measured copy becomes faster (validate/data/h200_sxm/stream/in_flight_8_gib.csv.gz).
constexpr double kSpreadFrom = 64 * 1024, kLeastSpread = 32 * 1024;
constexpr double kWideRequest = 512;  // bytes of a warp's 16-byte accesses

/// Contiguous bytes of a row in one request of a warp or one box of the copy engine.
double request_bytes(const StreamConfig& config, ElementType dtype) {
  const double row = config.block_columns * element_bytes(dtype);
  const double most = uses_tma(config.schedule) ? kMostBoxElements * element_bytes(dtype)
                                                : kWarpThreads * config.vector_bytes;
  return std::min(row, most);
}

bool hinted_loads(CacheHint hint) {
  return hint == CacheHint::kEvictFirst || hint == CacheHint::kLoadsEvictFirst;
}

/// Whether CTAs start in memory order, as slots become free.
bool keeps_order(const StreamConfig& config) {
  return one_block_a_cta(config.order) || config.order == BlockOrder::kTickets;
}

/// Bytes of one block's inputs.
Bytes inputs_of_block(const StreamConfig& config, ElementType dtype) {
  return Bytes{static_cast<double>(input_count(config.schedule)) * block_bytes(config, dtype)};
}

StreamLosses losses_of(const StreamSpec& stream, const StreamConfig& config, ElementType dtype,
                       Bytes in_flight) {
  StreamLosses losses{};
  losses.spread =
      stream.spread_loss * std::log2(std::max(in_flight.value, kLeastSpread) / kSpreadFrom);
  const double disorder = stream.disorder_loss;
  losses.walk = keeps_order(config) ? 0 : disorder;
  losses.plain = plain_loads(config.schedule) ? disorder : 0;
  losses.hint = !plain_loads(config.schedule) && hinted_loads(config.hint) ? disorder : 0;
  if (op_of(config.schedule) != Op::kMemcpy && config.view == StreamView::kMatrix) {
    losses.narrow =
        stream.narrow_loss * std::max(0.0, kWideRequest / request_bytes(config, dtype) - 1);
  }
  return losses;
}

/// Latency from a block's loads to its arrival, without queueing.
Seconds block_latency(const StreamSpec& stream, const StreamConfig& config, ElementType dtype) {
  return uses_tma(config.schedule)
             ? stream.bulk_latency + transfer_time(inputs_of_block(config, dtype), stream.bulk_rate)
             : stream.load_latency;
}

/// Cycles that a thread spends issuing cp.async for its part of a block, if the copies are small.
Cycles small_copies(const StreamSpec& stream, const StreamConfig& config, ElementType dtype) {
  if (uses_tma(config.schedule) || plain_loads(config.schedule) ||
      config.vector_bytes >= kChunkBytes) {
    return {};
  }
  const double copies = inputs_of_block(config, dtype).value /
                        (config.vector_bytes * config.warps * kWarpThreads);  // bytes per thread
  return stream.small_copy * copies;
}

/// Time of a CTA between a block's arrival and its next loads.
Seconds work_of_block(const StreamSpec& stream, const StreamConfig& config, ElementType dtype,
                      Hertz sm_clock) {
  const double bytes = block_bytes(config, dtype);
  if (uses_tma(config.schedule)) {
    return stream.bulk_store +
           time_of(transfer_cycles(Bytes{bytes}, stream.bulk_read_out), sm_clock);
  }
  return stream.turn + time_of(small_copies(stream, config, dtype), sm_clock);
}

/// Time from one block of a CTA to its next one, or to the first block of the next CTA in the slot.
Seconds turn_of_block(const StreamSpec& stream, const StreamConfig& config, Seconds latency,
                      Seconds work, Hertz sm_clock) {
  if (one_block_a_cta(config.order)) {
    return latency + work + time_of(stream.cta_refill, sm_clock);
  }
  return config.stages == 1 ? latency + work
                            : std::max(work, (latency + work) / (config.stages - 1));
}

/// Bytes moved into and out of shared memory: inputs count twice; C counts if it is staged there.
Bytes shared_bytes(const StreamConfig& config, Bytes read, Bytes write) {
  if (plain_loads(config.schedule)) {
    return Bytes{0};
  }
  return uses_tensor_maps(config.schedule) ? (read + write) * 2 : read * 2;
}

}  // namespace

KernelActivity kernel_activity(const StreamForm& form) {
  const Bytes dram = form.dram_read + form.dram_write;
  return {{Flops{0}, form.shared_memory, dram, dram, form.cycles}};
}

HardBounds hard_bounds(const GpuSpec& gpu, const StreamProblem& problem) {
  return {.tensor = {},
          .intake = {},
          .dram = transfer_time(Bytes{stream_bytes(problem)}, highest_dram_rate(gpu)),
          .dram_peak = transfer_time(Bytes{stream_bytes(problem)}, gpu.dram->bandwidth),
          .launch = gpu.machine ? gpu.machine->kernel : Seconds{}};
}

RateShares rate_shares(const GpuSpec& gpu, const StreamProblem& problem, Seconds time) {
  return {transfer_time(Bytes{stream_bytes(problem)}, gpu.dram->bandwidth) / time,
          time_at_measured_rates(*gpu.dram, problem) / time};
}

StreamForm form_at(const GpuSpec& gpu, const StreamProblem& problem, const StreamConfig& config,
                   Hertz sm_clock) {
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
  const double ahead = config.stages == 1 ? 1 : config.stages - 1;
  const Bytes in_flight = inputs_of_block(config, problem.dtype) * (resident * ahead);
  const StreamLosses losses = losses_of(stream, config, problem.dtype, in_flight);
  const Seconds dram = time_at_measured_rates(*gpu.dram, problem) / (1 - losses.total());

  const Seconds latency = block_latency(stream, config, problem.dtype);
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
  // Measured copies with 24 to 40 KiB per SM in flight show such a transition
  // (in_flight_8_gib.csv.gz).
  const Seconds streaming = smooth_max<kInBursts>({dram, flight});
  const Seconds total = stream.kernel + latency + streaming;

  form.parts = {stream.kernel, latency, dram, flight, losses, in_flight};
  form.cycles = cycles_of(total, sm_clock);
  form.shares.dram = dram / total;
  if (gpu.machine) {  // without these constants the terms are zero
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
