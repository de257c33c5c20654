// Blackwell's tensor memory: 128 lanes of 512 32-bit columns per SM. A CTA allocates a power of two
// of columns, at least 32; a tile's accumulators take one column per column of C and one lane per
// row of a CTA's 128. Also defines what the tcgen05 kernels keep in shared memory besides the
// rings: barriers that pass accumulators on, and responses of cluster launch control. Source: PTX
// ISA, tensor memory and tcgen05.alloc.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/gemm/config/kernel_config.h"

namespace tilecast {

constexpr i32 kTensorMemoryLanes = 128;
constexpr i32 kTensorMemoryColumns = 512;
constexpr i32 kFewestTensorMemoryColumns = 32;  // minimum allocation
constexpr i32 kTcgen05BlockM = 128;             // rows of C per CTA, in every kernel
constexpr i32 kTcgen05NStep = 64;               // granularity of C's columns: whole staging slots
constexpr i32 kMostAccumulators = 2;            // maximum number of tiles in tensor memory
constexpr i32 kTensorMemoryLoadColumns = 32;    // columns of one load into registers

/// Number of columns that one CTA allocates.
TILECAST_HD constexpr i32 tensor_memory_columns(const KernelConfig& config) {
  i32 columns = kFewestTensorMemoryColumns;
  while (columns < config.tiling.block_n * config.accumulators) {
    columns *= 2;
  }
  return columns;
}

/// Whether the allocations of all resident CTAs of an SM fit.
TILECAST_HD constexpr bool tensor_memory_suffices(const KernelConfig& config) {
  return tensor_memory_columns(config) * config.ctas_per_sm <= kTensorMemoryColumns;
}

// Maximum number of outstanding requests. Responses follow the stages' barriers, which come in
// pairs, so they are 16-byte aligned.
constexpr i32 kLaunchAnswers = 2;  // outstanding requests
constexpr i32 kTcgen05AnswerOffset = 0;
constexpr i32 kTcgen05AccumulatorOffset = kTcgen05AnswerOffset + kLaunchAnswers * 16;
constexpr i32 kTcgen05AnswerBarrierOffset = kTcgen05AccumulatorOffset + kMostAccumulators * 2 * 8;
constexpr i32 kTcgen05AddressOffset = kTcgen05AnswerBarrierOffset + kLaunchAnswers * 2 * 8;
constexpr i32 kTcgen05SyncBytes = kTcgen05AddressOffset + 16;

}  // namespace tilecast
