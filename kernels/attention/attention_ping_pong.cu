// Ping-pong attention: the consumer warpgroups take turns to issue to the tensor cores. In its turn
// a warpgroup issues P V of its block and Q K^T of the next one; its softmax overlaps the others'
// products.
//
// Launch: as attention_specialized.cu, with two or more consumer warpgroups. Checked by:
// kernels/jit/attention_launch_test.cpp.
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
    softmax.rescale(o);
    round_weights<Config>(s, p);
  };
  const auto add_block = [&](i32 block, bool masked) {
    walker.take_turn();
    walker.multiply_v(o, p);
    walker.multiply_k(s);
    walker.end_turn();
    walker.template finish_v<1>(o);
    walker.template finish_k<0>(s);
    weigh(block, masked);
  };
  const i32 end = tile.first + tile.count;
  walker.take_turn();
  walker.multiply_k(s);
  walker.end_turn();
  walker.template finish_k<0>(s);
  weigh(end - 1, true);
  for_blocks_from(tile, end - 2, add_block);
  walker.multiply_v(o, p);
  walker.template finish_v<0>(o);
}

template <class Config>
__device__ __forceinline__ void run(const AttentionArgs& args) {
  static_assert(Config::kTurns, "warpgroups to take turns");
  run_specialized<Config>(args, attend<Config>);
}

}  // namespace tilecast
