// What a memory-bound kernel is launched with. Read by the kernels (NVRTC) and by the host code
// that launches them.
#pragma once

#include "kernels/gemm/gemm_args.h"
#include "model/base/integers.h"
#include "model/stream/block_walk.h"
#include "model/stream/stream_config.h"

namespace tilecast {

/// A matrix in device memory; strides in elements. The column stride counts only where a vector is
/// one element; else columns lie side by side.
struct StridedMatrix {
  void* pointer;
  i64 row_stride, column_stride;
};

struct StreamArgs {
  TensorMap a_map, b_map, c_map;  // of the copy engine's kernels, box stream_box()
  StridedMatrix a, b, c;          // of the others; memcpy copies a to c
  i64 rows, columns;
  BlockWalk walk;
  u32* tickets;  // of order=tickets: how many were drawn, and how many CTAs are done; zero between
};

TILECAST_HD constexpr TmaBox stream_box(const StreamConfig& config, ElementType dtype) {
  return {box_columns(config, dtype), config.block_rows,
          config.layout == StreamLayout::kSwizzled ? kSwizzledRowBytes : 0};
}

}  // namespace tilecast
