// Launch arguments of a memory-bound kernel, included by the kernels (NVRTC) and by the host code
// that launches them.
#pragma once

#include "kernels/gemm/gemm_args.h"
#include "model/base/integers.h"
#include "model/stream/block_walk.h"
#include "model/stream/stream_config.h"

namespace tilecast {

/// A matrix in device memory; strides are in elements. The column stride is used only if a vector
/// is one element; otherwise columns are contiguous.
struct StridedMatrix {
  void* pointer;
  i64 row_stride, column_stride;
};

struct StreamArgs {
  TensorMap a_map, b_map, c_map;  // used by the TMA kernels, with box stream_box()
  StridedMatrix a, b, c;          // used by the other kernels; memcpy copies a to c
  i64 rows, columns;
  BlockWalk walk;
  u32* tickets;  // order=tickets: counts of draws and of finished CTAs; zero between launches
};

TILECAST_HD constexpr TmaBox stream_box(const StreamConfig& config, ElementType dtype) {
  return {box_columns(config, dtype), config.block_rows,
          config.layout == StreamLayout::kSwizzled ? kSwizzledRowBytes : 0};
}

}  // namespace tilecast
