// Warp-specialised attention: one producer, and consumer warpgroups that each have 64 rows of the
// tile and run product, softmax and product of a block in sequence. One warpgroup's softmax may
// overlap the others' products, but nothing enforces it.
//
// Launch: kThreads threads, kSmem.total_bytes of dynamic shared memory, tensor maps with the boxes
// of attention_args.h, args.tiles CTAs, or fewer if they are persistent. Checked by:
// kernels/jit/attention_launch_test.cpp.
#include "kernels/attention/roles.cuh"

namespace tilecast {

template <class Config>
__device__ __forceinline__ void attend(Walker<Config>& walker, const AttentionTile& tile,
                                       Sums<Config>& o, Softmax<Config>& softmax) {
  Scores<Config> s;
  Weights<Config> p;
  const auto add_block = [&](i32 block, bool masked) {
    walker.multiply_k(s);
    walker.template finish_k<0>(s);
    if (masked) {
      walker.seen.mask(s, block * Config::kKvBlock);
    }
    softmax.update(s, walker.scale);
    softmax.rescale(o);
    round_weights<Config>(s, p);
    walker.multiply_v(o, p);
    walker.template finish_v<0>(o);
  };
  for_blocks_from(tile, tile.first + tile.count - 1, add_block);
}

template <class Config>
__device__ __forceinline__ void run(const AttentionArgs& args) {
  run_specialized<Config>(args, attend<Config>);
}

}  // namespace tilecast
