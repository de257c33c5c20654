// The tiles that a kernel walked, recorded by the kernel itself, and the walk of the shared
// scheduler on the CPU. If both are equal, the model orders tiles as the kernel does.
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

/// The trace that the model expects: CTA i's j-th tile or piece at [i * stride + j], kNoTile
/// elsewhere. CTA i has rank i % cluster_size in worker i / cluster_size; ranks count along m
/// first.
std::vector<WalkedPiece> expected_tile_trace(const TileScheduler& scheduler,
                                             const WorkDecomposition& work, const Tiling& tiling,
                                             u32 stride);
/// The expected trace of a launch, with a stride of max_tiles_per_cta().
std::vector<WalkedPiece> expected_tile_trace(const GemmLaunch& launch);

/// Launches once with tracing on, and waits.
std::vector<WalkedPiece> record_tile_trace(const GemmLaunch& launch, const GemmBuffers& buffers,
                                           cudaStream_t stream);

/// 64-bit FNV-1a hash as 16 hexadecimal digits.
std::string tile_checksum(std::span<const WalkedPiece> trace);

/// Describes the first difference of the two in one line; empty if they are equal.
std::string tile_trace_difference(std::span<const WalkedPiece> walked,
                                  std::span<const WalkedPiece> expected, u32 stride);

}  // namespace tilecast
