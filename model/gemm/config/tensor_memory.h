// Blackwell's tensor memory: 128 lanes of 512 columns of 32 bits on each SM. A CTA asks for a power
// of two of columns, at least 32; a tile's accumulators take a column for each column of C and a
// lane for each of a CTA's 128 rows. And what the tcgen05 kernels keep in shared memory beside the
// rings: barriers that hand accumulators over, and the answers of cluster launch control.
// Source: PTX ISA, tensor memory and tcgen05.alloc.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/gemm/config/kernel_config.h"

namespace tilecast {

constexpr i32 kTensorMemoryLanes = 128;
constexpr i32 kTensorMemoryColumns = 512;
constexpr i32 kFewestTensorMemoryColumns = 32;  // that one can ask for
constexpr i32 kTcgen05BlockM = 128;             // rows of C of one CTA of every kernel
constexpr i32 kTcgen05NStep = 64;               // columns of C: whole slots of its staging
constexpr i32 kMostAccumulators = 2;            // tiles in tensor memory

/// Columns that one CTA asks for.
TILECAST_HD constexpr i32 tensor_memory_columns(const KernelConfig& config) {
  i32 columns = kFewestTensorMemoryColumns;
  while (columns < config.tiling.block_n * config.accumulators) {
    columns *= 2;
  }
  return columns;
}

/// Whether the CTAs that an SM is promised find room together.
TILECAST_HD constexpr bool tensor_memory_suffices(const KernelConfig& config) {
  return tensor_memory_columns(config) * config.ctas_per_sm <= kTensorMemoryColumns;
}

// Behind the stages' barriers, which come in pairs, so that the answers are 16-byte aligned.
constexpr i32 kLaunchAnswers = 2;  // asked ahead
constexpr i32 kTcgen05AnswerOffset = 0;
constexpr i32 kTcgen05AccumulatorOffset = kTcgen05AnswerOffset + kLaunchAnswers * 16;
constexpr i32 kTcgen05AnswerBarrierOffset = kTcgen05AccumulatorOffset + kMostAccumulators * 2 * 8;
constexpr i32 kTcgen05AddressOffset = kTcgen05AnswerBarrierOffset + kLaunchAnswers * 2 * 8;
constexpr i32 kTcgen05SyncBytes = kTcgen05AddressOffset + 16;

}  // namespace tilecast
