#include "model/analytic/stream_closed_form.h"

#include <algorithm>
#include <cmath>

#include "model/analytic/stream_occupancy.h"
#include "model/base/error.h"
#include "model/base/math.h"

namespace tilecast {
namespace {

// Where DRAM and flight are about equal the kernel takes longer than either.
constexpr double kSharpness = 3;
// Below this share of the kernel's time the stream is not what bounds it.
constexpr double kStreamMatters = 0.5;
// Two equal times together are 2^(1/3) of each, so DRAM is the larger one from here on.
constexpr double kBoundByDram = 0.7937;
// Places on the scales of spread_loss and narrow_loss (model/spec/gpu_spec.h).
constexpr double kSpreadFrom = 64 * 1024, kLeastSpread = 32 * 1024;
constexpr double kWideRequest = 512;

Seconds overlapped(Seconds a, Seconds b) {
  const Seconds longest = std::max(a, b);
  return longest * std::pow(std::pow(a / longest, kSharpness) + std::pow(b / longest, kSharpness),
                            1 / kSharpness);
}

Bytes inputs_of_block(const StreamConfig& config, ElementType dtype) {
  return Bytes{static_cast<double>(input_count(config.schedule)) * block_bytes(config, dtype)};
}

/// Neighbouring bytes of a row that a warp's access, or a box of the copy engine, asks for at once.
double request_bytes(const StreamConfig& config, ElementType dtype) {
  const double row = config.block_columns * element_bytes(dtype);
  const double most = uses_tma(config.schedule) ? kMostBoxElements * element_bytes(dtype)
                                                : kWarpThreads * config.vector_bytes;
  return std::min(row, most);
}

bool plain_loads(StreamSchedule schedule) {
  return schedule == StreamSchedule::kMemcpy || schedule == StreamSchedule::kElementwiseAdd;
}

bool hinted_loads(CacheHint hint) {
  return hint == CacheHint::kEvictFirst || hint == CacheHint::kLoadsEvictFirst;
}

/// CTAs follow each other in memory's order, as they come free.
bool keeps_order(const StreamConfig& config) {
  return one_block_a_cta(config.order) || config.order == BlockOrder::kTickets;
}

double dram_loss(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype,
                 double read_share) {
  const StreamSpec& stream = *gpu.stream;
  const double in_flight = std::max(bytes_in_flight(gpu, config, dtype).value, kLeastSpread);
  double loss = stream.mix_loss * 4 * read_share * (1 - read_share) +
                stream.spread_loss * std::log2(in_flight / kSpreadFrom);
  if (!keeps_order(config)) {
    loss += stream.walk_loss;
  }
  if (plain_loads(config.schedule)) {
    loss += stream.plain_loss;
  } else if (hinted_loads(config.hint)) {
    loss += stream.hint_loss;
  }
  if (op_of(config.schedule) != Op::kMemcpy && config.view == StreamView::kMatrix) {
    loss += stream.narrow_loss * std::max(0.0, kWideRequest / request_bytes(config, dtype) - 1);
  }
  return loss;
}

Seconds latency_of_block(const StreamSpec& stream, const StreamConfig& config, ElementType dtype) {
  return uses_tma(config.schedule)
             ? stream.bulk_latency + transfer_time(inputs_of_block(config, dtype), stream.bulk_rate)
             : stream.load_latency;
}

/// Of a CTA between a block's arrival and its next loads.
Seconds work_of_block(const StreamSpec& stream, const StreamConfig& config, ElementType dtype,
                      Hertz sm_clock) {
  const double bytes = block_bytes(config, dtype);
  if (uses_tma(config.schedule)) {
    return stream.bulk_store +
           time_of(transfer_cycles(Bytes{bytes}, stream.bulk_read_out), sm_clock);
  }
  Seconds work = stream.turn;
  if (!plain_loads(config.schedule) && config.vector_bytes < kChunkBytes) {
    const double copies = inputs_of_block(config, dtype).value /
                          (config.vector_bytes * config.warps * kWarpThreads);  // of a thread
    work += time_of(stream.small_copy * copies, sm_clock);
  }
  return work;
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
  if (!uses_shared_memory(config.schedule)) {
    return Bytes{0};
  }
  return uses_tensor_maps(config.schedule) ? (read + write) * 2 : read * 2;
}

}  // namespace

Bytes bytes_in_flight(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype) {
  const i32 ahead = config.stages == 1 ? 1 : config.stages - 1;
  return inputs_of_block(config, dtype) *
         static_cast<double>(resident_stream_ctas(gpu, config, dtype) * ahead);
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
  const Seconds dram = (transfer_time(form.dram_read, stream.read_rate) +
                        transfer_time(form.dram_write, stream.write_rate)) /
                       (1 - dram_loss(gpu, config, problem.dtype, form.dram_read / moved));

  const Seconds latency = latency_of_block(stream, config, problem.dtype);
  const Seconds work = work_of_block(stream, config, problem.dtype, sm_clock);
  const double blocks_of_slot = static_cast<double>(walk.blocks) / std::min(walk.workers, slots);
  Seconds flight =
      work + turn_of_block(stream, config, latency, work, sm_clock) * (blocks_of_slot - 1);
  if (one_block_a_cta(config.order)) {
    flight = std::max(flight, stream.cta_launch * walk.workers);
  }
  const Seconds streaming = overlapped(dram, flight);
  const Seconds total = stream.kernel + latency + streaming;

  form.cycles = cycles_of(total, sm_clock);
  form.shares = {
      0,
      form.shared_memory.value / gpu.sm.count / gpu.wgmma->operand_rate.value / form.cycles.value,
      moved.value / gpu.l2->output.value / total.value, dram / total};
  form.limiter = streaming < total * kStreamMatters ? Limiter::kOverhead
                 : dram > streaming * kBoundByDram  ? Limiter::kDram
                                                    : Limiter::kLatency;
  return form;
}

}  // namespace tilecast
