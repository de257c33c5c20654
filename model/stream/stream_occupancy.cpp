#include "model/stream/stream_occupancy.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/spec/occupancy.h"

namespace tilecast {
namespace {

constexpr i32 kWordBytes = 4;
constexpr i32 kPlainOverhead = 24;  // registers for addresses, walk and bounds
constexpr i32 kCpAsyncOverhead =
    24;                              // no part of the block is in registers, but more addresses are
constexpr i32 kPerUnrolledCopy = 4;  // one address per vector, up to four
constexpr i32 kMostUnrolledCopies = 4;
constexpr i32 kMoreBuffers = 4;    // pointers to sources as well as destinations
constexpr i32 kCopyOverhead = 28;  // memcpy_cpasync, with few vectors
constexpr i32 kManyVectors = 4;
constexpr i32 kRingOverhead = 9;
constexpr i32 kLeastRing = 25;

}  // namespace

i32 stream_registers(const StreamConfig& config, ElementType dtype) {
  const i32 threads = config.warps * kWarpThreads;
  const i32 vectors = block_bytes(config, dtype) / (threads * config.vector_bytes);
  const i32 held = vectors * config.vector_bytes / kWordBytes;  // words of each matrix in registers
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
  TILECAST_ASSERT(!"a copy method without a register count");
  return 0;
}

bool stream_registers_suffice(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype) {
  return stream_registers(config, dtype) <=
         most_registers(gpu.sm, stream_threads(config), config.ctas_per_sm);
}

i32 fitting_stream_ctas(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype) {
  return fitting_ctas(gpu.sm, {stream_threads(config), stream_registers(config, dtype),
                               Bytes{static_cast<double>(stream_shared_bytes(config, dtype))}});
}

i32 resident_stream_ctas(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype) {
  const i32 fitting = fitting_stream_ctas(gpu, config, dtype);
  const bool fills = config.order == BlockOrder::kBlocks || config.order == BlockOrder::kBands;
  return fills ? fitting : std::min(fitting, config.ctas_per_sm);
}

SmSharedMemory shared_memory_of(const GpuSpec& gpu) {
  const auto whole = [](Bytes bytes) { return static_cast<i32>(bytes.value); };
  return {whole(gpu.sm.shared_memory), whole(gpu.sm.shared_memory_per_cta),
          whole(gpu.sm.shared_memory_reserved_per_cta)};
}

}  // namespace tilecast
