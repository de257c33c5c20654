// Attention with overlap inside a warpgroup: Q K^T of a block is issued before P V of the previous
// block, which then overlaps this block's mask and maxima. If there are several warpgroups, they
// take turns to issue both, so that one's softmax overlaps the others' products.
//
// Launch: as attention_specialized.cu. Checked by: kernels/jit/attention_launch_test.cpp.
#include "kernels/attention/roles.cuh"

namespace tilecast {

template <class Config>
__device__ __forceinline__ void attend(Walker<Config>& walker, const AttentionTile& tile,
                                       Sums<Config>& o, Softmax<Config>& softmax) {
  if (tile.count == 0) {
    return;
  }
  Scores<Config> s;
  Weights<Config> p;
  const auto weigh = [&](i32 block, bool masked) {
    if (masked) {
      walker.seen.mask(s, block * Config::kKvBlock);
    }
    softmax.update(s, walker.scale);
  };
  const auto add_block = [&](i32 block, bool masked) {
    walker.take_turn();
    walker.multiply_k(s);
    softmax.rescale(o);
    walker.multiply_v(o, p);
    walker.end_turn();
    walker.template finish_k<1>(s);
    weigh(block, masked);
    walker.template finish_v<0>(o);
    round_weights<Config>(s, p);
  };
  const i32 end = tile.first + tile.count;
  walker.take_turn();
  walker.multiply_k(s);
  walker.end_turn();
  walker.template finish_k<0>(s);
  weigh(end - 1, true);
  round_weights<Config>(s, p);
  for_blocks_from(tile, end - 2, add_block);
  softmax.rescale(o);
  walker.multiply_v(o, p);
  walker.template finish_v<0>(o);
}

template <class Config>
__device__ __forceinline__ void run(const AttentionArgs& args) {
  run_specialized<Config>(args, attend<Config>);
}

}  // namespace tilecast
