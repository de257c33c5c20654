#include "validate/measure/tile_trace.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "validate/measure/device_memory.h"

namespace tilecast {

std::vector<TileCoord> expected_tile_trace(const TileScheduler& scheduler, const Tiling& tiling,
                                           u32 stride) {
  const u32 places = static_cast<u32>(cluster_size(tiling));
  const u32 places_m = static_cast<u32>(tiling.cluster_m);
  const u32 places_n = static_cast<u32>(tiling.cluster_n);
  std::vector<TileCoord> trace(std::size_t{scheduler.workers} * places * stride, kNoTile);
  for (u32 worker = 0; worker < scheduler.workers; ++worker) {
    u32 index = 0;
    for (u32 linear = scheduler.first(worker); linear < scheduler.end(worker);
         linear = scheduler.next(linear), ++index) {
      TILECAST_ASSERT(index < stride);
      const TileCoord tile = scheduler.coord(linear);
      for (u32 place = 0; place < places; ++place) {
        trace[(std::size_t{worker} * places + place) * stride + index] = {
            tile.m * places_m + place % places_m, tile.n * places_n + place / places_m};
      }
    }
  }
  return trace;
}

std::vector<TileCoord> record_tile_trace(const GemmLaunch& launch, const GemmBuffers& buffers,
                                         cudaStream_t stream) {
  constexpr int kUnwritten = 0xff;  // every byte, so that a coordinate is kNoTile's
  const u32 stride = launch.max_tiles_per_cta();
  const std::size_t count = std::size_t{launch.shape().ctas} * stride;
  const DeviceMemory trace(count * sizeof(TileCoord));
  TILECAST_CUDA(cudaMemsetAsync(trace.as<void>(), kUnwritten, count * sizeof(TileCoord), stream));
  GemmArgs args = launch.bind(buffers);
  args.trace = trace.as<TileCoord>();
  args.trace_stride = stride;
  launch.launch(args, stream);
  return copy_to_host(trace.as<TileCoord>(), count, stream);
}

std::string tile_checksum(std::span<const TileCoord> trace) {
  constexpr u64 kOffset = 14695981039346656037ull;
  constexpr u64 kPrime = 1099511628211ull;
  u64 hash = kOffset;
  for (const std::byte byte : std::as_bytes(trace)) {
    hash = (hash ^ static_cast<u64>(byte)) * kPrime;
  }
  return fmt::format("{:016x}", hash);
}

std::string tile_trace_difference(std::span<const TileCoord> walked,
                                  std::span<const TileCoord> expected, u32 stride) {
  if (walked.size() != expected.size()) {
    return fmt::format("{} places for tiles where {} were expected", walked.size(),
                       expected.size());
  }
  for (std::size_t i = 0; i < walked.size(); ++i) {
    if (!(walked[i] == expected[i])) {
      return fmt::format(
          "CTA {} took tile ({}, {}) as its number {} where the scheduler says ({}, {})",
          i / stride, static_cast<i32>(walked[i].m), static_cast<i32>(walked[i].n), i % stride,
          static_cast<i32>(expected[i].m), static_cast<i32>(expected[i].n));
    }
  }
  return "";
}

}  // namespace tilecast
