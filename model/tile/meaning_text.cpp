#include "model/tile/meaning_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {
namespace {

constexpr std::pair<std::string_view, std::string_view> kKeys[] = {
    {"tile", "rows and columns of C that a CTA computes at a time, and the depth of a K block"},
    {"stages", "K blocks of A and B that shared memory holds"},
    {"warpgroups", "that multiply and share a tile, along M and N"},
    {"cluster", "CTAs that share operands by multicast, along M and N"},
    {"cta_group", "CTAs that share each tensor-core instruction"},
    {"accumulators", "tiles that tensor memory holds"},
    {"ctas", "per SM"},
    {"inflight", "K blocks whose multiplications may be outstanding while the next is waited for"},
    {"c_slots",
     "buffers of shared memory for each warpgroup's C on its way out; 0: drained stages"},
    {"producer", "registers of each thread that loads; the others have the rest"},
    {"a", "where the tensor cores read A from"},
    {"instruction_n", "columns of one tensor-core instruction"},
    {"splits", "CTAs that share a tile along K"},
    {"min_k_blocks", "fewest K blocks of a part of a tile"},
    {"reduction", "how the partial sums of a tile become C"},
    {"grid",
     "a CTA for each tile; resident CTAs that loop over tiles; or tiles taken as they come"},
    {"raster", "order of tiles: in bands of rows or of columns, or along a Hilbert curve"},
    {"group", "tile rows or columns of such a band"},
    {"walk", "how resident CTAs share that order: in turn, or one run of tiles each"},
    {"store", "a finished tile goes to C under the next one's K blocks"},
};

}  // namespace

std::string_view meaning_of(Schedule schedule) {
  switch (schedule) {
    case Schedule::kSmallMma:
      return "one CTA computes all of C from one K block";
    case Schedule::kBlocked:
      return "one buffer: load, wait, multiply, wait";
    case Schedule::kBlockedPipelined:
      return "two buffers: a K block is loaded while the one before is multiplied";
    case Schedule::kPipelined:
      return "a ring of stages, loads and multiplications both asynchronous";
    case Schedule::kPersistent:
      return "a ring of stages, in CTAs that loop over tiles";
    case Schedule::kPersistentOverlap:
      return "persistent, and the next tile's loads run while this one is finished and stored";
    case Schedule::kWarpSpecialized:
      return "one warpgroup loads, the others multiply and share a tile (CUTLASS: cooperative)";
    case Schedule::kPingPong:
      return "one warpgroup loads, two multiply tiles of their own in turn";
    case Schedule::kSplitK:
      return "warp_specialized, each tile shared by several CTAs in equal parts of K";
    case Schedule::kSplitKHybrid:
      return "split_k for the last, partial wave of tiles; whole tiles before it";
    case Schedule::kStreamK:
      return "warp_specialized, every CTA takes the same number of K blocks, across tiles";
    case Schedule::kStreamKHybrid:
      return "stream_k for the last two waves of tiles; whole tiles before them";
    case Schedule::kTcgen05Pipelined:
      return "Blackwell: one warp loads and issues, a ring of stages, one tile per CTA";
    case Schedule::kTcgen05Persistent:
      return "Blackwell: one warp loads and issues, in CTAs that loop over tiles";
    case Schedule::kTcgen05PersistentOverlap:
      return "Blackwell: persistent, and the next tile's loads run while this one is finished";
    case Schedule::kTcgen05WarpSpecialized:
      return "Blackwell: a warp loads, one issues, one asks for tiles, four store";
  }
  TILECAST_ASSERT(!"a schedule without a meaning");
  return {};
}

std::string_view meaning_of(Layout layout) {
  return layout == Layout::kTn ? "B is [N,K], K contiguous" : "B is [K,N], N contiguous";
}

std::vector<KeyMeaning> key_meanings(const KernelConfig& config) {
  const std::string text = to_text(config);
  std::vector<KeyMeaning> meanings;
  for (const std::string_view part :
       split(std::string_view(text).substr(text.find(':') + 1), ',')) {
    const std::string_view key = part.substr(0, part.find('='));
    const auto found = std::ranges::find(kKeys, key, [](const auto& row) { return row.first; });
    TILECAST_ASSERT(found != std::end(kKeys));
    meanings.push_back({std::string(part), found->second});
  }
  return meanings;
}

}  // namespace tilecast
