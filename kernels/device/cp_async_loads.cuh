// Copies K blocks of A and B into a stage with all threads of a CTA (cp.async), for kernels without
// the copy engine. Stage layouts and swizzle are as in tile_loads.cuh; out-of-bounds elements
// become zero.
#pragma once

#include "kernels/device/shared_memory.cuh"
#include "kernels/device/tile_loads.cuh"
#include "kernels/ptx/cp_async.cuh"

namespace tilecast {

/// Byte offset of 16-byte piece `piece` of row `row` in a slab with swizzled rows of kRowBytes.
template <i32 kRowBytes>
__device__ constexpr u32 swizzled_offset(u32 row, u32 piece) {
  constexpr u32 kPieces = kRowBytes / 16;  // the pattern repeats after 8 rows
  return row * kRowBytes + ((piece ^ (row * kRowBytes >> 7) % kPieces) << 4);
}

/// One thread's share of an operand's K blocks, which it copies in order. kSide: the tile's rows of
/// A or columns of B.
template <class Config, i32 kSide, bool kKMajor>
class OperandCopies {
 public:
  /// `first`: first of the tile's rows or columns; `k`: first element along K.
  __device__ OperandCopies(const PlainMatrix& matrix, i32 product, i32 first, i32 k)
      : row_bytes_(matrix.row_bytes) {
    const i64 row = kKMajor ? first : k, column = kKMajor ? k : first;
    const i32 side_left = matrix.side - first, k_left = matrix.k - k;
    rows_left_ = (kKMajor ? side_left : k_left) - first_row();
    columns_left_ = (kKMajor ? k_left : side_left) - first_piece() * kPieceElements;
    at_ = static_cast<const char*>(matrix.pointer) + product * matrix.matrix_bytes +
          (row + first_row()) * row_bytes_ + column * Config::kOperandBytes + first_piece() * 16;
  }

  /// Starts the copy of the next K block into a stage.
  __device__ void load(u32 stage) {
    const u32 valid = clamped_bytes(columns_left_);
#pragma unroll
    for (i32 i = 0; i < kCopies; ++i) {
      const i32 row = i * kRowStep;
      if (kWhole || first_row() + row < kRows) {
        ptx::cp_async<16>(stage + offset(first_row() + row), at_ + row * row_bytes_,
                          row < rows_left_ ? valid : 0);
      }
    }
    if constexpr (kKMajor) {
      at_ += Config::kTiling.block_k * Config::kOperandBytes;
      columns_left_ -= Config::kTiling.block_k;
    } else {
      at_ += Config::kTiling.block_k * row_bytes_;
      rows_left_ -= Config::kTiling.block_k;
    }
  }

 private:
  static constexpr i32 kPieceElements = 16 / Config::kOperandBytes;
  static constexpr i32 kSlabRow = kKMajor ? Config::kSlabRowBytes : kSwizzleBytes;
  static constexpr i32 kRows =
      kKMajor ? kSide : Config::kTiling.block_k;  // rows of a K block in memory
  static constexpr i32 kPieces =                  // 16-byte pieces of a row
      (kKMajor ? Config::kTiling.block_k : kSide) / kPieceElements;
  // Each thread copies one column of pieces; surplus threads copy nothing.
  static constexpr i32 kRowStep = Config::kThreads / kPieces;
  static constexpr i32 kCopies = ceil_div(kRows, kRowStep);
  static constexpr bool kWhole =
      kRows % kRowStep == 0 &&
      Config::kThreads % kPieces == 0;  // whether every thread takes part in every copy
  static_assert(kRowStep > 0, "a row of the tile has a piece for each thread at most");

  __device__ static i32 first_piece() { return static_cast<i32>(threadIdx.x) % kPieces; }
  __device__ static i32 first_row() {
    const i32 row = static_cast<i32>(threadIdx.x) / kPieces;
    return kWhole || row < kRowStep ? row : kRows;
  }
  __device__ static u32 clamped_bytes(i32 elements) {
    return static_cast<u32>(max_of(0, min_of(kPieceElements, elements)) * Config::kOperandBytes);
  }
  __device__ static u32 offset(i32 row) {
    constexpr i32 kSlabPieces = kSlabRow / 16;
    return first_piece() / kSlabPieces * (kRows * kSlabRow) +
           swizzled_offset<kSlabRow>(row, first_piece() % kSlabPieces);
  }

  i64 row_bytes_;
  const char* at_;  // address of the thread's first piece of the next K block
  i32 rows_left_, columns_left_;
};

/// One thread's share of a tile's K blocks, from `k_block` on.
template <class Config>
struct StageCopies {
  OperandCopies<Config, Config::kTiling.block_m, Config::kAKMajor> a;
  OperandCopies<Config, Config::kTiling.block_n, Config::kBKMajor> b;

  __device__ StageCopies(const Args<Config>& args, const TileOrigin& tile, i32 k_block)
      : a(args.a_plain, a_matrix(args, tile), tile.m, k_block * Config::kTiling.block_k),
        b(args.b_plain, b_matrix(args, tile), tile.n, k_block * Config::kTiling.block_k) {}

  __device__ void load(const SharedMemory<Config>& smem, i32 stage) {
    a.load(smem.a(stage));
    b.load(smem.b(stage));
  }
};

}  // namespace tilecast
