// wgmma with promoted accumulators: the tensor core accumulates one K block of 128 elements at a
// time; its partial sums are added to the tile's sums in fp32, scaled if there are block scales.
//
// The wgmma rows of a warpgroup share one set of registers: the warpgroup issues the wgmmas of a
// row, waits for them, and does one addition or multiply-add per accumulator, while the tensor
// cores run the other warpgroup's wgmmas. The last row's additions follow the release of the stage.
// The gap between a row's last wgmma and the next row's first one is exposed if both warpgroups
// reach it together, which is common. Therefore the loop is unrolled, and each K block's stage is
// waited for during the previous block.
//
// Every warp reads a K block's scales before it issues the wgmmas after which the stage is
// released: one thread releases the stage for all four warps of its warpgroup, and these wgmmas
// synchronise them. In ping-pong kernels the other warpgroup waits until it may issue. Checked by:
// validate/measure/gemm/scales_test.cpp and exact_test.cpp (results),
// kernels/jit/gemm_kernel_test.cpp (no spills).
#pragma once

#include "kernels/device/wgmma_operation.cuh"

namespace tilecast {

template <class Config, class Behind>
struct Promotion {
  static_assert(Config::kMmasAlongN == 1 && Config::kTiling.block_k == scale_block() &&
                    Config::kTiling.stages > 1,
                "a wgmma spans its warpgroup's columns, a K block is 128 elements, as a block of "
                "scales");

  const OperandDescriptors& operands;
  Accumulator<Config>& accumulator;
  Behind behind = {};
  float sums[Config::kInstructionN / 2] = {};  // partial sums of one wgmma row, over a K block

  /// Multiplies a tile's K blocks from `at` on, overwriting the accumulator.
  __device__ __forceinline__ void run(const SharedMemory<Config>& smem, RingPosition<Config>& at,
                                      i32 k_blocks, const ClusterPlace& place) {
#pragma unroll
    for (i32 i = 0; i < Config::kMmasAlongM; ++i) {
#pragma unroll
      for (float& sum : accumulator.d[i][0]) {
        sum = 0;
      }
    }
    wait_full(smem, at);
#pragma unroll 4
    for (i32 k_block = 0; k_block < k_blocks; ++k_block) {
      if constexpr (Config::kBlockScales) {
        accumulator.scales.read(smem.scales(at.stage), k_block);
      }
      const RingPosition<Config> here = at;
      at.advance();
#pragma unroll
      for (i32 i = 0; i < Config::kMmasAlongM; ++i) {
        mma_row_of_k_block<Config>(sums, operands, here, i);
        if (i == 0) {
          behind();
          if (k_block + 1 < k_blocks) {
            wait_full(smem, at);
          }
        }
        ptx::wgmma_wait<0>();
        ptx::wgmma_fence_registers(sums);
        if (i + 1 == Config::kMmasAlongM) {
          release_stage(smem, here.stage, place);
        }
        promote(i);
      }
    }
  }

 private:
  __device__ __forceinline__ void promote(i32 i) {
    if constexpr (Config::kBlockScales) {
      scale_and_add(i);
    } else {
#pragma unroll
      for (i32 k = 0; k < Config::kInstructionN / 2; ++k) {
        accumulator.d[i][0][k] += sums[k];
      }
    }
  }
  __device__ __forceinline__ void scale_and_add(i32 i) {
    constexpr i32 kTogether = ScalePart<Config>::kTogether;
#pragma unroll
    for (i32 column = 0; column < Config::kInstructionN; column += kTogether) {
      const float of_columns = accumulator.scales.of_columns(column);
      const float scale[2] = {accumulator.scales.of_row(i, 0) * of_columns,
                              accumulator.scales.of_row(i, 1) * of_columns};
#pragma unroll
      for (i32 k = column / 2; k < (column + kTogether) / 2; ++k) {
        float& sum = accumulator.d[i][0][k];
        sum = fmaf(sums[k], scale[k / 2 % 2], sum);
      }
    }
  }
};

}  // namespace tilecast
