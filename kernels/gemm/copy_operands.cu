// Copies A, B or both so that each row begins at a multiple of 16 bytes and ends with zeros
// (model/gemm/problem/operand_copies.h). A warp copies pieces of a row: each thread loads the 16
// bytes in which its part of the copy begins, gets the next 16 bytes from its neighbour, and shifts
// both into place.
//
// May be launched programmatically.
//
// Launch: CTAs of kCopyThreads threads; args.a.to and args.b.to at multiples of 16 bytes. Checked
// by: validate/measure/gemm/random_gemm_test.cpp.
#include "kernels/gemm/copy_args.h"
#include "kernels/ptx/cache_policy.cuh"
#include "kernels/ptx/dependent_launch.cuh"
#include "kernels/ptx/vector_access.cuh"
#include "model/base/math.h"

namespace tilecast {

using Sixteen = ptx::Vector<16>;

/// Loads 16 bytes from a 16-byte aligned address; bytes from the operand's `end` on are zero.
__device__ __forceinline__ Sixteen load_sixteen(const char* address, const char* end, u64 policy) {
  if (address + 16 <= end) {
    return ptx::load_global<16, true>(address, policy);
  }
  u64 low = 0, high = 0;
#pragma unroll 1
  for (i32 i = 0; address + i < end; ++i) {
    const u64 byte = static_cast<u64>(static_cast<unsigned char>(address[i])) << (i % 8 * 8);
    (i < 8 ? low : high) |= byte;
  }
  return {{static_cast<u32>(low), static_cast<u32>(low >> 32), static_cast<u32>(high),
           static_cast<u32>(high >> 32)}};
}

/// Returns the 16 bytes that begin at byte `shift` of `v` and continue in `next`.
__device__ __forceinline__ Sixteen shifted(const Sixteen& v, const Sixteen& next, u32 shift) {
  u32 w[8] = {v.word[0],    v.word[1],    v.word[2],    v.word[3],
              next.word[0], next.word[1], next.word[2], next.word[3]};
#pragma unroll
  for (i32 i = 0; i < 6; ++i) {
    w[i] = (shift & 8) != 0 ? w[i + 2] : w[i];
  }
#pragma unroll
  for (i32 i = 0; i < 5; ++i) {
    w[i] = (shift & 4) != 0 ? w[i + 1] : w[i];
  }
  Sixteen out;
#pragma unroll
  for (i32 i = 0; i < 4; ++i) {
    out.word[i] = __funnelshift_r(w[i], w[i + 1], shift % 4 * 8);
  }
  return out;
}

/// Keeps the first `valid` bytes and zeroes the rest.
__device__ __forceinline__ Sixteen cut(Sixteen v, i64 valid) {
#pragma unroll
  for (i32 i = 0; i < 4; ++i) {
    const i64 bytes = valid - i * 4;
    v.word[i] = bytes >= 4 ? v.word[i] : bytes <= 0 ? 0 : v.word[i] & ((1u << (bytes * 8)) - 1);
  }
  return v;
}

__device__ __forceinline__ void copy_piece(const RowsToCopy& rows, u64 piece, u64 policy) {
  constexpr i32 kApart = 32 * 16;
  const u32 lane = threadIdx.x % 32;
  const u32 row = static_cast<u32>(piece / rows.pieces_of_row);
  const u32 matrix = row / rows.rows_of_matrix;
  const u32 row_of_matrix = row - matrix * rows.rows_of_matrix;
  const char* const from = rows.from + matrix * rows.from_matrix + row_of_matrix * rows.from_row;
  const u32 shift = static_cast<u32>(reinterpret_cast<u64>(from) % 16);
  const char* const row_end = from + rows.row_bytes;
  const char* const end = rows.from + rows.from_end;
  const i64 first =
      static_cast<i64>(piece - static_cast<u64>(row) * rows.pieces_of_row) * kCopyPiece + lane * 16;
  const char* const address = from - shift + first;
  Sixteen v[kCopyVectors + 1];
#pragma unroll
  for (i32 i = 0; i <= kCopyVectors; ++i) {
    const bool wanted = address + i * kApart < row_end && (i < kCopyVectors || lane == 0);
    v[i] = wanted ? load_sixteen(address + i * kApart, end, policy) : Sixteen{};
  }
  char* const to = rows.to + row * rows.to_row + first;
#pragma unroll
  for (i32 i = 0; i < kCopyVectors; ++i) {
    Sixteen next;
#pragma unroll
    for (i32 w = 0; w < 4; ++w) {
      const u32 given = lane == 0 ? v[i + 1].word[w] : v[i].word[w];
      next.word[w] = __shfl_sync(0xffffffffu, given, (lane + 1) % 32);
    }
    const i64 valid = rows.row_bytes - (first + i * kApart);
    if (valid > 0) {
      Sixteen out = shifted(v[i], next, shift);
      if (valid < 16) {
        out = cut(out, valid);
      }
      ptx::store_global<16, false>(to + i * kApart, out, 0);
    }
  }
}

}  // namespace tilecast

extern "C" __global__ void __launch_bounds__(tilecast::kCopyThreads, tilecast::kCopyCtasPerSm)
    tilecast_copy_operands(const __grid_constant__ tilecast::CopyArgs args) {
  using namespace tilecast;
  ptx::wait_for_earlier_grids();
  constexpr u32 kWarps = kCopyThreads / 32;
  const u64 policy = ptx::evict_first_policy();  // the operands are not read again, the copies are
  const u64 pieces = args.a.pieces + args.b.pieces;
  for (u64 piece = blockIdx.x * kWarps + threadIdx.x / 32; piece < pieces;
       piece += static_cast<u64>(gridDim.x) * kWarps) {
    if (piece < args.a.pieces) {
      copy_piece(args.a, piece, policy);
    } else {
      copy_piece(args.b, piece - args.a.pieces, policy);
    }
  }
}
