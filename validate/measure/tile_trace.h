// The tiles a kernel walked, written by the kernel itself, beside the walk that the shared
// scheduler gives on the CPU. Equal bytes prove that the model orders tiles as the kernel does.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/jit/gemm_launch.h"
#include "model/tile/kernel_config.h"
#include "model/tile/tile_scheduler.h"

namespace tilecast {

/// What stands where a CTA has no further tile.
constexpr TileCoord kNoTile{~0u, ~0u};

/// CTA i's j-th tile, in units of its own block, at [i * stride + j]; kNoTile elsewhere. A CTA is
/// place i % cluster_size of worker i / cluster_size, and places count along m first.
std::vector<TileCoord> expected_tile_trace(const TileScheduler& scheduler, const Tiling& tiling,
                                           u32 stride);

/// Launches once, with tracing on, and waits.
std::vector<TileCoord> record_tile_trace(const GemmLaunch& launch, const GemmBuffers& buffers,
                                         cudaStream_t stream);

/// FNV-1a, 64 bits, as 16 hexadecimal digits.
std::string tile_checksum(std::span<const TileCoord> trace);

/// Where the two first differ, as one line; empty where they are equal.
std::string tile_trace_difference(std::span<const TileCoord> walked,
                                  std::span<const TileCoord> expected, u32 stride);

}  // namespace tilecast
