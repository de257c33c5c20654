#include "model/stream/stream_block.h"

#include <algorithm>
#include <cmath>

namespace tilecast {
namespace {

// The scales on which spread_loss and narrow_loss are counted (gpu_spec.h): where each is 0. Below
// kLeastSpread no measured copy gains (validate/data/h200_sxm/stream/in_flight_8_gib.csv.gz).
constexpr double kSpreadFrom = 64 * 1024, kLeastSpread = 32 * 1024;
constexpr double kWideRequest = 512;  // a warp's 16-byte accesses

/// Neighbouring bytes of a row that a warp's access, or a box of the copy engine, asks for at once.
double request_bytes(const StreamConfig& config, ElementType dtype) {
  const double row = config.block_columns * element_bytes(dtype);
  const double most = uses_tma(config.schedule) ? kMostBoxElements * element_bytes(dtype)
                                                : kWarpThreads * config.vector_bytes;
  return std::min(row, most);
}

bool hinted_loads(CacheHint hint) {
  return hint == CacheHint::kEvictFirst || hint == CacheHint::kLoadsEvictFirst;
}

/// CTAs follow each other in memory's order, as they come free.
bool keeps_order(const StreamConfig& config) {
  return one_block_a_cta(config.order) || config.order == BlockOrder::kTickets;
}

}  // namespace

Bytes inputs_of_block(const StreamConfig& config, ElementType dtype) {
  return Bytes{static_cast<double>(input_count(config.schedule)) * block_bytes(config, dtype)};
}

Bytes stream_bytes_in_flight(const StreamConfig& config, ElementType dtype, i32 resident) {
  const i32 ahead = config.stages == 1 ? 1 : config.stages - 1;
  return inputs_of_block(config, dtype) * static_cast<double>(resident * ahead);
}

StreamLosses stream_losses(const StreamSpec& stream, const StreamConfig& config, ElementType dtype,
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

Seconds stream_block_latency(const StreamSpec& stream, const StreamConfig& config,
                             ElementType dtype) {
  return uses_tma(config.schedule)
             ? stream.bulk_latency + transfer_time(inputs_of_block(config, dtype), stream.bulk_rate)
             : stream.load_latency;
}

Cycles small_copies_of_block(const StreamSpec& stream, const StreamConfig& config,
                             ElementType dtype) {
  if (uses_tma(config.schedule) || plain_loads(config.schedule) ||
      config.vector_bytes >= kChunkBytes) {
    return {};
  }
  const double copies = inputs_of_block(config, dtype).value /
                        (config.vector_bytes * config.warps * kWarpThreads);  // of a thread
  return stream.small_copy * copies;
}

}  // namespace tilecast
