#include "validate/measure/gemm/tile_trace.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/gemm/problem/group_rows.h"
#include "validate/measure/device_memory.h"

namespace tilecast {

namespace {

/// The pieces of worker w, in order, as cluster tiles.
std::vector<WorkPiece> walk(const TileScheduler& scheduler, const WorkDecomposition& work,
                            u32 worker) {
  std::vector<WorkPiece> pieces;
  if (work.streamed > 0) {
    for (WorkPiece p = work.first(worker); work.valid(p); p = work.next(worker, p)) {
      pieces.push_back(p);
    }
    return pieces;
  }
  for (u32 linear = scheduler.first(worker); linear < scheduler.end(worker);
       linear = scheduler.next(linear)) {
    pieces.push_back({linear, 0, work.k_blocks, linear});
  }
  return pieces;
}

std::string describe(const WalkedPiece& piece) {
  return piece == kNoTile ? "no tile"
                          : fmt::format("tile ({}, {}), K blocks {} to {}", piece.m, piece.n,
                                        piece.k_begin, piece.k_end);
}

}  // namespace

std::vector<WalkedPiece> expected_tile_trace(const TileScheduler& scheduler,
                                             const WorkDecomposition& work, const Tiling& tiling,
                                             u32 stride) {
  const u32 places = static_cast<u32>(cluster_size(tiling));
  const u32 places_m = static_cast<u32>(tiling.cluster_m);
  const u32 places_n = static_cast<u32>(tiling.cluster_n);
  std::vector<WalkedPiece> trace(std::size_t{work.workers} * places * stride, kNoTile);
  for (u32 worker = 0; worker < work.workers; ++worker) {
    u32 index = 0;
    for (const WorkPiece& piece : walk(scheduler, work, worker)) {
      TILECAST_ASSERT(index < stride);
      const TileCoord tile = scheduler.coord(piece.tile);
      for (u32 place = 0; place < places; ++place) {
        trace[(std::size_t{worker} * places + place) * stride + index] = {
            tile.m * places_m + place % places_m, tile.n * places_n + place / places_m,
            piece.k_begin, piece.k_end};
      }
      ++index;
    }
  }
  return trace;
}

std::vector<WalkedPiece> expected_tile_trace(const GemmLaunch& launch) {
  const u32 stride = launch.max_tiles_per_cta();
  std::vector<WalkedPiece> trace =
      expected_tile_trace(launch.scheduler(), launch.work(), launch.config().tiling, stride);
  // With groups, some CTAs have no tiles.
  trace.resize(std::size_t{launch.shape().ctas} * stride, kNoTile);
  if (grouped_along_k(launch.problem())) {
    const Tiling& t = launch.config().tiling;
    const std::vector<u32> k_blocks = k_blocks_of_products(launch.problem(), t);
    const u32 rows = tile_rows(launch.problem().shape, t) * static_cast<u32>(t.cluster_m);
    for (WalkedPiece& piece : trace) {
      if (!(piece == kNoTile)) {
        piece.k_end = static_cast<i32>(k_blocks[piece.m / rows]);
      }
    }
  }
  return trace;
}

std::vector<WalkedPiece> record_tile_trace(const GemmLaunch& launch, const GemmBuffers& buffers,
                                           cudaStream_t stream) {
  // Value of every byte, so that an unwritten piece equals kNoTile.
  constexpr int kUnwritten = 0xff;
  const u32 stride = launch.max_tiles_per_cta();
  const std::size_t count = std::size_t{launch.shape().ctas} * stride;
  const DeviceMemory trace(count * sizeof(WalkedPiece));
  TILECAST_CUDA(cudaMemsetAsync(trace.as<void>(), kUnwritten, trace.bytes(), stream));
  GemmArgs args = launch.bind(buffers);
  args.trace = trace.as<WalkedPiece>();
  args.trace_stride = stride;
  launch.launch(args, stream);
  return copy_to_host(trace.as<WalkedPiece>(), count, stream);
}

std::string tile_checksum(std::span<const WalkedPiece> trace) {
  constexpr u64 kOffset = 14695981039346656037ull;
  constexpr u64 kPrime = 1099511628211ull;
  u64 hash = kOffset;
  for (const std::byte byte : std::as_bytes(trace)) {
    hash = (hash ^ static_cast<u64>(byte)) * kPrime;
  }
  return fmt::format("{:016x}", hash);
}

std::string tile_trace_difference(std::span<const WalkedPiece> walked,
                                  std::span<const WalkedPiece> expected, u32 stride) {
  if (walked.size() != expected.size()) {
    return fmt::format("{} slots for tiles, expected {}", walked.size(), expected.size());
  }
  for (std::size_t i = 0; i < walked.size(); ++i) {
    if (!(walked[i] == expected[i])) {
      return fmt::format("CTA {} took {} as its tile number {}, the scheduler expects {}",
                         i / stride, describe(walked[i]), i % stride, describe(expected[i]));
    }
  }
  return "";
}

}  // namespace tilecast
