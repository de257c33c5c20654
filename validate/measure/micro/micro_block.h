// Runs kernels/micro/wgmma_block.cu and k_block_loop.cu: a K block of a GEMM tile by itself, and
// the loop over K blocks.
#pragma once

#include <vector>

#include "kernels/micro/k_block_mark.h"
#include "kernels/micro/wgmma_block.h"
#include "model/gemm/config/kernel_config.h"
#include "validate/measure/micro/micro_lab.h"

namespace tilecast {

/// The tile that warpgroups below each other multiply, and who else is in the CTA.
struct BlockTile {
  i32 m, n, k, warpgroups;

  KernelConfig config(bool specialized, i32 stages, i32 inflight) const;
  i32 instructions() const;  // wgmmas of a warpgroup and K block
};

struct BlockRun {
  BlockTile tile;
  LoadBy by = LoadBy::kNobody;
  i32 loads = 0;  // of 16 KiB; 0 and kNobody together
  bool behind_another = false, multiplies = true;
};

/// In the order of WgmmaBlockSample, all with time.
std::vector<TimedSample> run_block(MicroLab& lab, const BlockRun& run, u32 rounds);

struct LoopRun {
  BlockTile tile;
  bool specialized;  // a warp of its own loads
  i32 stages, inflight;
  u32 ctas;
};

struct LoopMarks {
  std::vector<KBlockMark> marks;   // [CTA][warpgroup][K block], loads with the first warpgroup
  std::vector<TimedSample> whole;  // of each CTA
  i32 k_blocks;
};

LoopMarks run_loop(MicroLab& lab, const LoopRun& run);

}  // namespace tilecast
