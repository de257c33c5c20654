#include "model/analytic/stream_closed_form.h"

#include <algorithm>
#include <cmath>

#include "model/analytic/stream_occupancy.h"
#include "model/base/error.h"
#include "model/base/math.h"

namespace tilecast {
namespace {

// Instructions of a warp for one vector of each matrix: two loads, a store, addresses and masks.
constexpr double kInstructionsPerVector = 10;
// The copy engine's kernels: two shared loads, a shared store, the addition.
constexpr double kRingInstructionsPerVector = 6;
// Where DRAM and flight are about equal the kernel takes longer than either.
constexpr double kSharpness = 3;
// Below this share of the kernel's time the stream is not what bounds it.
constexpr double kStreamMatters = 0.5;
// Two equal times together are 2^(1/3) of each, so DRAM is the larger one from here on.
constexpr double kBoundByDram = 0.7937;

Seconds overlapped(Seconds a, Seconds b) {
  const Seconds longest = std::max(a, b);
  return longest * std::pow(std::pow(a / longest, kSharpness) + std::pow(b / longest, kSharpness),
                            1 / kSharpness);
}

Bytes inputs_of_block(const StreamConfig& config, ElementType dtype) {
  return Bytes{static_cast<double>(input_count(config.schedule)) * block_bytes(config, dtype)};
}

/// One CTA's instructions for one block while `ctas` share the SM's issue.
Seconds work_of_block(const StreamSpec& stream, const StreamConfig& config, ElementType dtype,
                      i32 ctas, Hertz sm_clock) {
  const double warp_vectors =
      static_cast<double>(block_bytes(config, dtype)) / (config.vector_bytes * kWarpThreads);
  const double instructions = warp_vectors * (uses_tma(config.schedule) ? kRingInstructionsPerVector
                                                                        : kInstructionsPerVector);
  return time_of(Cycles{instructions * ctas / stream.instructions}, sm_clock);
}

/// From one block of a CTA to its next, or of its successor in the slot.
Seconds turn_of_block(const StreamSpec& stream, const StreamConfig& config, ElementType dtype,
                      i32 ctas, Hertz sm_clock) {
  const Seconds work = work_of_block(stream, config, dtype, ctas, sm_clock);
  const Seconds refill = time_of(stream.cta_refill, sm_clock);
  const bool one_block = config.order == BlockOrder::kBlocks;
  if (uses_tma(config.schedule)) {
    const Seconds round = stream.bulk_latency + work + stream.bulk_store;
    return one_block            ? round + refill
           : config.stages == 1 ? round
                                : std::max(work, round / (config.stages - 1));
  }
  if (one_block) {
    return stream.load_latency + work + refill;
  }
  if (config.stages == 1) {
    return stream.load_latency + work;
  }
  return std::max(work, stream.load_latency / (config.stages - 1));
}

Seconds dram_time(const StreamSpec& stream, const StreamConfig& config, Bytes read, Bytes write) {
  const Seconds apart =
      transfer_time(read, stream.read_rate) + transfer_time(write, stream.write_rate);
  const double r = read / (read + write);
  const double walk = config.order == BlockOrder::kBlocks ? 0 : stream.walk_loss;
  return apart / ((1 - stream.mix_loss * 4 * r * (1 - r)) * (1 - walk));
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
         static_cast<double>(resident_stream_ctas(gpu, config, dtype) * gpu.sm.count * ahead);
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
  const Seconds dram = dram_time(stream, config, form.dram_read, form.dram_write);

  // Full waves first; in the last one fewer CTAs share an SM, and fewer bytes are in flight.
  const u32 workers = walk.workers;
  const double blocks_per_worker = static_cast<double>(walk.blocks) / workers;
  const u32 full_waves = workers / slots;
  const u32 rest = workers % slots;
  const auto wave = [&](u32 ctas) {
    const i32 per_sm = static_cast<i32>(ceil_div(ctas, static_cast<u32>(gpu.sm.count)));
    const Seconds flight =
        turn_of_block(stream, config, problem.dtype, per_sm, sm_clock) * blocks_per_worker;
    return overlapped(dram * (static_cast<double>(ctas) / workers), flight);
  };
  Seconds streaming = wave(std::min(slots, workers)) * std::max(1u, full_waves);
  if (full_waves > 0 && rest > 0) {
    streaming += wave(rest);
  }
  const bool tma = uses_tma(config.schedule);
  const Seconds around = stream.kernel + (tma ? stream.bulk_latency : stream.load_latency);
  const Seconds total = streaming + around;
  form.cycles = cycles_of(total, sm_clock);
  const double l2_bytes = form.dram_read.value + form.dram_write.value;
  form.shares = {
      0,
      form.shared_memory.value / gpu.sm.count / gpu.wgmma->operand_rate.value / form.cycles.value,
      l2_bytes / gpu.l2->output.value / total.value, dram / total};
  form.limiter = streaming < total * kStreamMatters ? Limiter::kOverhead
                 : dram > streaming * kBoundByDram  ? Limiter::kDram
                                                    : Limiter::kLatency;
  return form;
}

}  // namespace tilecast
