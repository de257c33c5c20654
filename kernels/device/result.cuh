// The last steps of an epilogue: activation of pairs of 16-bit elements, which are rounded
// immediately; or gate, R, amax, scale_c, C in fp32 or fp8. Also the layout of a thread's elements
// in a slot.
//
// Checked by: validate/measure/gemm/epilogue_test.cpp.
#pragma once

#include "kernels/device/bias.cuh"
#include "kernels/device/c_chunk.cuh"
#include "kernels/device/mma.cuh"
#include "kernels/device/residual.cuh"
#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/vector_access.cuh"

namespace tilecast {

/// Activates two accumulators and converts them to C's type.
template <class Config>
__device__ inline u32 pack_activated(float low, float high) {
  using Activate = typename Config::Activate;
  if constexpr (Config::kActivatesByConversion) {
    return ptx::pack_16bit<Config::kHalfType, true>(low, high);
  } else {
    return ptx::pack_16bit<Config::kHalfType>(Activate::template apply<FastMath>(low),
                                              Activate::template apply<FastMath>(high));
  }
}

/// Activates two adjacent elements in one row. With a gate, only the left one is a result.
template <class Config>
__device__ inline void activate_pair(float& left, float& right) {
  using Activate = typename Config::Activate;
  if constexpr (Config::kGates) {
    left = Activate::template apply<FastMath>(left, right);
  } else {
    left = Activate::template apply<FastMath>(left);
    right = Activate::template apply<FastMath>(right);
  }
}

template <class Config>
__device__ inline float scaled_for_c(const Args<Config>& args, float value) {
  if constexpr (Config::kScalesC) {
    return Config::Convert::template apply<FastMath>(
        value, __uint_as_float(ptx::load_global<4, false>(args.result.scale_c, 0).word[0]));
  }
  return value;
}

/// Rounds a thread's results in sixteen columns to the words that it stages: four per eight
/// columns, two in one row and two in the row eight below. With a gate, only the left ones are
/// results.
template <class Config>
__device__ inline void round_sixteen(const float (&v)[2][4], u32 (&words)[Config::kSixteenWords]) {
  if constexpr (Config::kStagesMatrices) {
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
      words[i] = ptx::pack_16bit<Config::kHalfType>(v[i / 2][i % 2 * 2], v[i / 2][i % 2 * 2 + 1]);
    }
  } else if constexpr (Config::kCBytes == 4) {
    constexpr i32 kStep = Config::kGates ? 2 : 1;
#pragma unroll
    for (i32 i = 0; i < Config::kSixteenWords; ++i) {
      words[i] = __float_as_uint(v[i * kStep / 4][i * kStep % 4]);
    }
  } else {
    // There are two bytes for each eight columns and row, so one word for both rows. A thread gives
    // the eight columns that it does not stage to its partner, and receives the partner's results
    // in the eight columns that it does stage.
    u32 halves[2];
#pragma unroll
    for (i32 eight = 0; eight < 2; ++eight) {
      const float* const of_eight = v[eight];
      if constexpr (Config::kGates) {
        halves[eight] = ptx::pack_16bit<Config::kHalfType>(of_eight[0], of_eight[2]);
      } else {
        halves[eight] = ptx::fp8_pair_of(of_eight[0], of_eight[1], Config::kCType) |
                        static_cast<u32>(ptx::fp8_pair_of(of_eight[2], of_eight[3], Config::kCType))
                            << 16;
      }
    }
    const bool odd = threadIdx.x % 2 != 0;
    const u32 got = __shfl_xor_sync(0xffffffffu, odd ? halves[0] : halves[1], 1);
    const u32 left = odd ? got : halves[0], right = odd ? halves[1] : got;
    words[0] = __byte_perm(left, right, 0x5410);  // the lower halves
    words[1] = __byte_perm(left, right, 0x7632);
  }
}

/// Stores a thread's words to a chunk's slot if stmatrix cannot.
template <class Config>
__device__ inline void stage_words(u32 slot, const Chunk<Config>& chunk, i32 sixteen,
                                   const u32 (&words)[Config::kSixteenWords]) {
  const u32 lane = threadIdx.x % 32, pair = lane % 4;
#pragma unroll
  for (u32 half = 0; half < 2; ++half) {
    const u32 row = static_cast<u32>(row_in_chunk()) + half * 8;
    if constexpr (Config::kColumnBytes == 1) {
      ptx::store_shared(slot + slot_offset(chunk, row, sixteen) + pair % 2 * 8 + pair / 2 * 4,
                        ptx::Vector<4>{{words[half]}});
    } else {
#pragma unroll
      for (u32 eight = 0; eight < 2; ++eight) {
        const u32 first = static_cast<u32>(sixteen) * 2 + eight;
        if constexpr (Config::kColumnBytes == 2) {
          ptx::store_shared(slot + slot_offset(chunk, row, first) + pair * 4,
                            ptx::Vector<4>{{words[eight * 2 + half]}});
        } else {
          ptx::store_shared(
              slot + slot_offset(chunk, row, first * 2 + pair / 2) + pair % 2 * 8,
              ptx::Vector<8>{{words[eight * 4 + half * 2], words[eight * 4 + half * 2 + 1]}});
        }
      }
    }
  }
}

template <class Config>
__device__ inline i32 c_row_elements(const Args<Config>& args) {
  return Config::kGates ? args.n / 2 : args.n;
}
/// Address of an element of a GEMM's C, within its bounds.
template <class Config>
__device__ inline char* c_address(const Args<Config>& args, i32 product, i32 row, i32 column) {
  return static_cast<char*>(args.c_pointer) +
         (c_product_elements(args, product) + static_cast<i64>(row) * c_row_elements(args) +
          column) *
             Config::kCBytes;
}

/// Stores a result to C.
template <class Config>
__device__ inline void store_element(const Args<Config>& args, i32 product, i32 row, i32 column,
                                     float value) {
  char* const at = c_address(args, product, row, column);
  if constexpr (Config::kCBytes == 4) {
    *reinterpret_cast<float*>(at) = value;
  } else if constexpr (Config::kCBytes == 2) {
    *reinterpret_cast<unsigned short*>(at) = ptx::bits_of(value, Config::kCType);
  } else {
    *at = static_cast<char>(ptx::fp8_pair_of(value, 0, Config::kCType));
  }
}

/// Applies the last epilogue steps to two adjacent accumulators of a row and stores them to C.
/// `column` is even and in bounds.
template <class Config>
__device__ inline void store_result_pair(const Args<Config>& args, float left, float right,
                                         i32 product, i32 row, i32 column) {
  activate_pair<Config>(left, right);
  if constexpr (Config::kLoads) {
    add_pair<Config>(residual_pair(args, product, row, column), left, right);
  }
  constexpr bool kGates = Config::kGates;
  store_element(args, product, row, kGates ? column / 2 : column, scaled_for_c(args, left));
  if (!kGates && column + 1 < args.n) {
    store_element(args, product, row, column + 1, scaled_for_c(args, right));
  }
}

/// Copies a chunk from its slot to C, one row per warp, clipped at m and n.
template <class Config>
__device__ inline void store_chunk_elements(const Args<Config>& args, u32 slot,
                                            const Chunk<Config>& chunk, const TileOrigin& part) {
  constexpr i32 kBytes = Config::kCBytes;
  constexpr i32 kColumnsTogether = Config::kGates ? 2 : 1;
  const i32 first_row = part.m + chunk.i * kWgmmaM;
  const i32 first = (part.n + chunk.column) / kColumnsTogether;
  const i32 columns = min_of(chunk.columns / kColumnsTogether, c_row_elements(args) - first);
  for (i32 row = static_cast<i32>(threadIdx.x) % kThreadsPerWarpgroup / 32;
       row < kWgmmaM && first_row + row < part.rows_end(args); row += kWarpsPerWarpgroup) {
    for (i32 column = threadIdx.x % 32; column < columns; column += 32) {
      const i32 byte = column * kBytes;
      const u32 from = slot + slot_offset(chunk, row, byte / 16) + byte % 16;
      char* const to = c_address(args, part.product, first_row + row, first + column);
      if constexpr (kBytes == 4) {
        *reinterpret_cast<u32*>(to) = ptx::load_shared_u32(from);
      } else if constexpr (kBytes == 2) {
        *reinterpret_cast<unsigned short*>(to) =
            static_cast<unsigned short>(ptx::load_shared<2>(from).word[0]);
      } else {
        *to = static_cast<char>(ptx::load_shared_u32(from & ~3u) >> (from % 4 * 8));
      }
    }
  }
}

}  // namespace tilecast
