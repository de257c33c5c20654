// The tiles that a kernel walked, recorded by the kernel itself, and the walk of the shared
// scheduler on the CPU. Equal bytes prove that the model orders tiles as the kernel does.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/jit/gemm_launch.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/order/tile_scheduler.h"

namespace tilecast {

/// Marks the end of a CTA's tiles.
constexpr WalkedPiece kNoTile{~0u, ~0u, -1, -1};

/// CTA i's j-th tile or piece of one at [i * stride + j]; kNoTile elsewhere. A CTA is
/// place i % cluster_size of worker i / cluster_size, and places count along m first.
std::vector<WalkedPiece> expected_tile_trace(const TileScheduler& scheduler,
                                             const WorkDecomposition& work, const Tiling& tiling,
                                             u32 stride);
/// The walk of a launch, with a stride of max_tiles_per_cta().
std::vector<WalkedPiece> expected_tile_trace(const GemmLaunch& launch);

/// Launches once, with tracing on, and waits.
std::vector<WalkedPiece> record_tile_trace(const GemmLaunch& launch, const GemmBuffers& buffers,
                                           cudaStream_t stream);

/// FNV-1a, 64 bits, as 16 hexadecimal digits.
std::string tile_checksum(std::span<const WalkedPiece> trace);

/// Where the two first differ, as one line; empty if they are equal.
std::string tile_trace_difference(std::span<const WalkedPiece> walked,
                                  std::span<const WalkedPiece> expected, u32 stride);

}  // namespace tilecast
