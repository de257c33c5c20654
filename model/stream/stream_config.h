// The configuration of a memory-bound kernel. Its canonical text (stream_config_text.h) joins a
// prediction and a measurement, as a KernelConfig's does for a GEMM. Integers and enums only;
// compiled by the host compiler, nvcc and NVRTC.
#pragma once

#include "model/base/element_type.h"
#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/base/math.h"
#include "model/op/op.h"
#include "model/stream/block_walk.h"

namespace tilecast {

enum class StreamSchedule : i32 {
  kMemcpy,                   // out = in, plain loads and stores
  kMemcpyCpAsync,            // out = in through shared memory by cp.async
  kMemcpyTma,                // out = in by the bulk copy engine, with a ring of stages
  kElementwiseAdd,           // C = A + B, plain loads and stores
  kElementwiseAddCpAsync,    // C = A + B by cp.async: issue, wait, add, store
  kElementwiseAddPipelined,  // C = A + B by cp.async with `stages` buffers, so that copies run
                             // ahead
  kElementwiseAddTma,        // C = A + B by the bulk copy engine, with a ring of stages
  kElementwiseAddTmaWarpSpecialized,  // C = A + B by the bulk copy engine, with separate loading,
                                      // storing and computing warps
};

/// The mechanism that moves blocks.
enum class BlockCopy : i32 {
  kPlain,       // the threads' loads and stores
  kCpAsync,     // the threads' cp.async to shared memory
  kBulk,        // the copy engine, in and out, in runs of bytes that threads do not read
  kTensorMaps,  // the copy engine, in and out, in boxes
};

struct StreamTraits {
  const char* name;          // name in configuration strings
  const char* abbreviation;  // abbreviation in tables
  Op op = Op::kElementwiseAdd;
  BlockCopy copy = BlockCopy::kPlain;
  bool chooses_stages = false;  // the configuration sets the number of stages
  i32 copying_warps = 0;        // warps in addition to those that compute
};

TILECAST_HD constexpr StreamTraits traits_of(StreamSchedule schedule) {
  switch (schedule) {
    case StreamSchedule::kMemcpy:
      return {.name = "memcpy", .abbreviation = "mc", .op = Op::kMemcpy};
    case StreamSchedule::kMemcpyCpAsync:
      return {.name = "memcpy_cpasync",
              .abbreviation = "mcc",
              .op = Op::kMemcpy,
              .copy = BlockCopy::kCpAsync};
    case StreamSchedule::kMemcpyTma:
      return {.name = "memcpy_tma",
              .abbreviation = "mct",
              .op = Op::kMemcpy,
              .copy = BlockCopy::kBulk,
              .chooses_stages = true};
    case StreamSchedule::kElementwiseAdd:
      return {.name = "elementwise_add", .abbreviation = "ea"};
    case StreamSchedule::kElementwiseAddCpAsync:
      return {
          .name = "elementwise_add_cpasync", .abbreviation = "eac", .copy = BlockCopy::kCpAsync};
    case StreamSchedule::kElementwiseAddPipelined:
      return {.name = "elementwise_add_pipelined",
              .abbreviation = "eap",
              .copy = BlockCopy::kCpAsync,
              .chooses_stages = true};
    case StreamSchedule::kElementwiseAddTma:
      return {.name = "elementwise_add_tma",
              .abbreviation = "eat",
              .copy = BlockCopy::kTensorMaps,
              .chooses_stages = true};
    case StreamSchedule::kElementwiseAddTmaWarpSpecialized:
      return {.name = "elementwise_add_tma_warp_specialized",
              .abbreviation = "eaw",
              .copy = BlockCopy::kTensorMaps,
              .chooses_stages = true,
              .copying_warps = 2};
  }
  return {};  // not a schedule
}

/// Number of enumerators of StreamSchedule.
constexpr i32 kStreamScheduleCount = 8;
static_assert(traits_of(static_cast<StreamSchedule>(kStreamScheduleCount - 1)).name != nullptr &&
                  traits_of(static_cast<StreamSchedule>(kStreamScheduleCount)).name == nullptr,
              "kStreamScheduleCount is the number of schedules");

/// Layout of a block in shared memory: row after row, or with 16-byte chunks permuted so that the
/// same columns of eight rows are in different banks.
enum class StreamLayout : i32 { kPlain, kSwizzled };

/// The kernel's view of the matrix: as it is or, if rows are contiguous, as rows with the width of
/// one block, so that every block is contiguous in memory.
enum class StreamView : i32 { kMatrix, kFlat };

/// Global accesses that use L2's hint evict_first. In kernels with cp.async, the hint requires
/// whole blocks.
enum class CacheHint : i32 { kNone, kEvictFirst, kLoadsEvictFirst, kStoresEvictFirst };

struct StreamConfig {
  StreamSchedule schedule;
  i32 block_rows, block_columns;  // elements; memcpy: one row
  i32 stages;                     // number of buffers
  i32 warps;                      // number of computing warps
  i32 vector_bytes;               // width of one thread's access; 16 for the bulk copy engine
  i32 ctas_per_sm;                // as in __launch_bounds__; the resident orders launch this number
  StreamLayout layout;
  StreamView view;
  BlockOrder order;
  CacheHint hint;

  constexpr bool operator==(const StreamConfig&) const = default;
};

/// The matrices of C = A + B, or the vector that memcpy copies (one row).
struct StreamProblem {
  i64 rows, columns;
  ElementType dtype;
  Op op = Op::kElementwiseAdd;

  constexpr bool operator==(const StreamProblem&) const = default;
};

constexpr i32 kWarpThreads = 32;
constexpr i32 kChunkBytes = 16;  // granularity of a swizzle
constexpr i32 kMostStages = 4;   // maximum of the pipelined kernel
constexpr i32 kMostRingStages = 16;
constexpr i32 kSwizzledRowBytes = 128;
constexpr i32 kMostBoxElements = 256;  // maximum of a tensor map, along each dimension

TILECAST_HD constexpr Op op_of(StreamSchedule schedule) { return traits_of(schedule).op; }
TILECAST_HD constexpr bool is_memcpy(StreamSchedule schedule) {
  return op_of(schedule) == Op::kMemcpy;
}
TILECAST_HD constexpr bool plain_loads(StreamSchedule schedule) {
  return traits_of(schedule).copy == BlockCopy::kPlain;
}
/// Whether the copy engine moves runs of bytes, issued by one thread.
TILECAST_HD constexpr bool copies_runs(StreamSchedule schedule) {
  return traits_of(schedule).copy == BlockCopy::kBulk;
}
/// Whether the copy engine moves boxes by tensor maps.
TILECAST_HD constexpr bool uses_tensor_maps(StreamSchedule schedule) {
  return traits_of(schedule).copy == BlockCopy::kTensorMaps;
}
TILECAST_HD constexpr bool uses_tma(StreamSchedule schedule) {
  return uses_tensor_maps(schedule) || copies_runs(schedule);
}
/// Whether threads read their copies from shared memory, so that its layout can matter.
TILECAST_HD constexpr bool chooses_layout(StreamSchedule schedule) {
  return !plain_loads(schedule) && !copies_runs(schedule);
}
TILECAST_HD constexpr bool chooses_stages(StreamSchedule schedule) {
  return traits_of(schedule).chooses_stages;
}
TILECAST_HD constexpr i32 input_count(Op op) { return op == Op::kMemcpy ? 1 : 2; }
TILECAST_HD constexpr i32 input_count(StreamSchedule schedule) {
  return input_count(op_of(schedule));
}

/// Threads of a CTA: computing warps, and a loading and a storing warp if the schedule has them.
TILECAST_HD constexpr i32 stream_threads(const StreamConfig& config) {
  return (config.warps + traits_of(config.schedule).copying_warps) * kWarpThreads;
}

TILECAST_HD constexpr i32 block_bytes(const StreamConfig& config, ElementType dtype) {
  return config.block_rows * config.block_columns * element_bytes(dtype);
}

/// Columns of one bulk copy: a block is copied as adjacent boxes with all of its rows.
TILECAST_HD constexpr i32 box_columns(const StreamConfig& config, ElementType dtype) {
  const i32 most = config.layout == StreamLayout::kSwizzled
                       ? kSwizzledRowBytes / element_bytes(dtype)
                       : kMostBoxElements;
  return min_of(config.block_columns, most);
}

/// Dynamic shared memory of a CTA. The copy engine's kernels reuse A's buffer for C, and end with
/// two or three barriers per stage.
TILECAST_HD constexpr i64 stream_shared_bytes(const StreamConfig& config, ElementType dtype) {
  constexpr i32 kBytesPerBarrier = 8, kBarriersPerStage = 3;
  if (plain_loads(config.schedule)) {
    return 0;
  }
  const i64 block = i64{config.block_rows} * config.block_columns * element_bytes(dtype);
  const i64 buffers = i64{input_count(config.schedule)} * config.stages * block;
  return buffers +
         (uses_tma(config.schedule) ? config.stages * kBarriersPerStage * kBytesPerBarrier : 0);
}

/// Whether each CTA processes one block, and the hardware starts the next CTA.
TILECAST_HD constexpr bool one_block_a_cta(BlockOrder order) {
  return order == BlockOrder::kBlocks || order == BlockOrder::kBounded;
}

/// Bytes of shared memory of an SM, from its GPU file or driver.
struct SmSharedMemory {
  i32 per_sm, most_per_cta, reserved_per_cta;
};

/// Shared memory per CTA that limits an SM to the requested CTAs.
TILECAST_HD constexpr i32 bounded_shared_bytes(const StreamConfig& config, SmSharedMemory of_sm) {
  constexpr i32 kUnit = 128;
  const i32 share = of_sm.per_sm / config.ctas_per_sm - of_sm.reserved_per_cta;
  return min_of(share / kUnit * kUnit, of_sm.most_per_cta);
}

/// Dynamic shared memory of the launch.
TILECAST_HD constexpr i32 launched_shared_bytes(const StreamConfig& config, ElementType dtype,
                                                SmSharedMemory of_sm) {
  return config.order == BlockOrder::kBounded
             ? bounded_shared_bytes(config, of_sm)
             : static_cast<i32>(stream_shared_bytes(config, dtype));
}

/// The matrix in the kernel's view.
TILECAST_HD constexpr StreamProblem viewed(const StreamConfig& config,
                                           const StreamProblem& problem) {
  if (config.view == StreamView::kMatrix) {
    return problem;
  }
  return {problem.rows * problem.columns / config.block_columns, config.block_columns,
          problem.dtype, problem.op};
}

TILECAST_HD constexpr BlockWalk stream_walk(const StreamConfig& config,
                                            const StreamProblem& problem, u32 resident) {
  const StreamProblem seen = viewed(config, problem);
  return make_block_walk(
      config.order, static_cast<u32>(ceil_div<i64>(seen.rows, config.block_rows)),
      static_cast<u32>(ceil_div<i64>(seen.columns, config.block_columns)), resident);
}

/// Bytes of one matrix, or of the vector.
TILECAST_HD constexpr double matrix_bytes(const StreamProblem& problem) {
  return static_cast<double>(problem.rows) * static_cast<double>(problem.columns) *
         element_bytes(problem.dtype);
}

/// Compulsory traffic in bytes: inputs read once, the output written once.
TILECAST_HD constexpr double stream_bytes(const StreamProblem& problem) {
  return (input_count(problem.op) + 1) * matrix_bytes(problem);
}

}  // namespace tilecast
