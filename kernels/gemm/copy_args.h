// Launch arguments of the kernel that copies operands (copy_operands.cu). Compiled by NVRTC and by
// the host code that launches it.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

constexpr i32 kCopyThreads = 256;                   // threads of a CTA
constexpr i32 kCopyCtasPerSm = 4;                   // 64 KiB in flight per SM
constexpr i32 kCopyVectors = 4;                     // vectors of 16 bytes in flight per thread
constexpr i32 kCopyPiece = 32 * 16 * kCopyVectors;  // bytes of a row per warp and step

/// One operand. The rows of its matrices are contiguous in the copy. Strides are in bytes.
struct RowsToCopy {
  const char* from;  // element-aligned
  char* to;          // 16-byte aligned
  i64 from_row, from_matrix;
  i64 row_bytes;  // bytes of a row, without padding
  i64 to_row;     // row pitch of the copy: row_bytes rounded up to 16
  i64 from_end;   // bytes from `from` to the end of the last row
  u32 rows_of_matrix, pieces_of_row;
  u64 pieces;  // number of pieces; nothing is copied if 0
};

struct CopyArgs {
  RowsToCopy a, b;
};

}  // namespace tilecast
