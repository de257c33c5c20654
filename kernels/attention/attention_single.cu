// Attention by one warpgroup that runs all steps in sequence: product, softmax, product. One of its
// threads loads, up to `stages` blocks ahead; several CTAs per SM hide each other's latency.
//
// Launch: kThreads threads, kSmem.total_bytes of dynamic shared memory, tensor maps with the
// boxes of attention_args.h, args.tiles CTAs.
// Checked by: kernels/jit/attention_launch_test.cpp.
#include "kernels/attention/roles.cuh"

namespace tilecast {

template <class Config>
__device__ __forceinline__ void run(const AttentionArgs& args) {
  static_assert(Config::kGroups == 1 && !Config::kDynamic, "one tile, one warpgroup");
  const auto smem = AttentionShared<Config>::here();
  const bool loads = ptx::uniform_warp_index() == 0 && ptx::elect_one();
  if (loads) {
    initialise_barriers(smem);
  }
  __syncthreads();
  const i32 linear = static_cast<i32>(blockIdx.x);
  const AttentionTile tile = args.work.at(linear);
  const i32 end = tile.first + tile.count;
  Walker<Config> walker{smem, 0, args.scale_log2, SeenKeys<Config>::of(args.work, tile.query)};
  /// Loads a block into the stage of the block `kStages` later.
  const auto load_k = [&](i32 block, i32 stage) {
    if (loads && block >= tile.first) {
      load_keys<Config>(args, args.k, tile, block, smem.k(stage), smem.k_full(stage));
    }
  };
  const auto load_v = [&](i32 block, i32 stage) {
    if (loads && block >= tile.first) {
      load_keys<Config>(args, args.v, tile, block, smem.v(stage), smem.v_full(stage));
    }
  };
  if (loads) {
    load_queries(args, smem, tile, 0, 0);
  }
  for (i32 stage = 0; stage < Config::kStages; ++stage) {
    load_k(end - 1 - stage, stage);
    load_v(end - 1 - stage, stage);
  }
  Sums<Config> o{};
  Softmax<Config> softmax;
  Scores<Config> s;
  Weights<Config> p;
  const auto add_block = [&](i32 block, bool masked) {
    const i32 stage = walker.k.index;
    walker.multiply_k(s);
    walker.template finish_k<0>(s);
    __syncthreads();  // every warp's wgmmas have read K
    load_k(block - Config::kStages, stage);
    if (masked) {
      walker.seen.mask(s, block * Config::kKvBlock);
    }
    softmax.update(s, walker.scale);
    softmax.rescale(o);
    round_weights<Config>(s, p);
    walker.multiply_v(o, p);
    walker.template finish_v<0>(o);
    __syncthreads();
    load_v(block - Config::kStages, stage);
  };
  ptx::mbarrier_wait(smem.q_full(0, 0), 0);
  for_blocks_from(tile, end - 1, add_block);
  store_tile(args, smem, linear, 0, 0, o, softmax);
  if (!Config::kSplits && loads) {
    ptx::mbarrier_wait(smem.o_full(0, 0), 0);
    send_output<Config>(args, tile, 0, smem.q(0, 0));
  }
}

}  // namespace tilecast
