#include "model/gemm/rules/split_rules.h"

#include <fmt/format.h>

#include "model/gemm/config/kernel_config_text.h"

namespace tilecast {

std::string why_not_split(const TileScheduler& scheduler, i64 k_blocks, const KernelConfig& config,
                          u32 resident) {
  if (!splits_k(config.schedule)) {
    return {};
  }
  const Decomposition& how = config.decomposition;
  const u32 tiles = scheduler.num_tiles();
  if (how.splits > k_blocks) {
    return fmt::format("splits={}: K has only {} blocks", how.splits, k_blocks);
  }
  if (how.min_k_blocks > max_of<i64>(k_blocks, 8)) {
    return fmt::format("min_k_blocks={}: K has only {} blocks", how.min_k_blocks, k_blocks);
  }
  if (!work_is_countable(tiles, k_blocks, how.splits)) {
    return fmt::format("{} tiles of {} K blocks: too many to be counted in 31 bits", tiles,
                       k_blocks);
  }
  if (how.reduction != Reduction::kSpread) {
    return {};
  }
  if (!splits_equally(config.schedule)) {
    return fmt::format("reduction=spread needs equal splits; {} splits unevenly",
                       to_text(config.schedule));
  }
  const u32 split = traits_of(config.schedule).hybrid ? tiles % resident : tiles;
  if (i64{split} * how.splits > resident) {
    return fmt::format(
        "reduction=spread: all {} tiles x {} parts must be resident, but only {} CTAs fit at once",
        split, how.splits, resident);
  }
  return {};
}

}  // namespace tilecast
