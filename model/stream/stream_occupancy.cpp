#include "model/stream/stream_occupancy.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/base/math.h"
#include "model/gemm/config/register_plan.h"

namespace tilecast {
namespace {

constexpr i32 kWordBytes = 4;
constexpr i32 kPlainOverhead = 24;    // addresses, walk, bounds
constexpr i32 kCpAsyncOverhead = 24;  // nothing of the block is held, but
constexpr i32 kPerUnrolledCopy = 4;   // an address of each vector, up to four of them
constexpr i32 kMostUnrolledCopies = 4;
constexpr i32 kMoreBuffers = 4;    // where to read beside where to copy to
constexpr i32 kCopyOverhead = 28;  // of memcpy_cpasync, with few vectors
constexpr i32 kManyVectors = 4;
constexpr i32 kRingOverhead = 9;
constexpr i32 kLeastRing = 25;

}  // namespace

i32 stream_registers(const StreamConfig& config, ElementType dtype) {
  const i32 threads = config.warps * kWarpThreads;
  const i32 vectors = block_bytes(config, dtype) / (threads * config.vector_bytes);
  const i32 held = vectors * config.vector_bytes / kWordBytes;  // words of one matrix
  switch (traits_of(config.schedule).copy) {
    case BlockCopy::kPlain:
      return kPlainOverhead + input_count(config.schedule) * held;
    case BlockCopy::kCpAsync:
      if (is_memcpy(config.schedule)) {
        return kCopyOverhead +
               kPerUnrolledCopy * std::clamp(vectors - kManyVectors, 0, kManyVectors);
      }
      return kCpAsyncOverhead + kPerUnrolledCopy * std::min(vectors, kMostUnrolledCopies) +
             (config.stages > 1 ? kMoreBuffers : 0);
    case BlockCopy::kBulk:
      return kLeastRing;
    case BlockCopy::kTensorMaps:
      return std::max(kLeastRing, kRingOverhead + 2 * held);
  }
  TILECAST_ASSERT(!"a way of copying without registers");
  return 0;
}

bool stream_registers_suffice(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype) {
  const i32 most = gpu.sm.registers / (stream_threads(config) * config.ctas_per_sm) /
                   kRegisterStep * kRegisterStep;
  return stream_registers(config, dtype) <= std::min(most, gpu.sm.max_registers_per_thread);
}

i32 fitting_stream_ctas(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype) {
  const double shared =
      stream_shared_bytes(config, dtype) + gpu.sm.shared_memory_reserved_per_cta.value;
  const i32 threads = stream_threads(config);
  const i32 registers = round_up(stream_registers(config, dtype), kRegisterStep) * threads;
  const i32 by_shared = static_cast<i32>(gpu.sm.shared_memory.value / shared);
  return std::min({by_shared, gpu.sm.registers / std::max(registers, 1),
                   gpu.sm.max_threads / threads, gpu.sm.max_ctas});
}

i32 resident_stream_ctas(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype) {
  const i32 fitting = fitting_stream_ctas(gpu, config, dtype);
  const bool fills = config.order == BlockOrder::kBlocks || config.order == BlockOrder::kBands;
  return fills ? fitting : std::min(fitting, config.ctas_per_sm);
}

}  // namespace tilecast
