#include "model/tile/meaning_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {
namespace {

/// By key=value where the values differ in kind, else by key.
constexpr std::pair<std::string_view, std::string_view> kKeys[] = {
    {"tile", "rows and columns of C that a CTA computes at a time, and the depth of a K block"},
    {"stages", "K blocks of A and B that shared memory holds"},
    {"warpgroups", "warpgroups that multiply and share a tile, along M and N"},
    {"cluster", "CTAs that share operands by multicast, along M and N"},
    {"cta_group", "CTAs that share each tensor-core instruction"},
    {"accumulators", "tiles that tensor memory holds"},
    {"ctas", "CTAs per SM"},
    {"inflight", "K blocks whose multiplications may be outstanding while the next is waited for"},
    {"c_slots",
     "buffers of shared memory for each warpgroup's C on its way out; 0: drained stages"},
    {"producer", "registers of each thread that loads; the others have the rest"},
    {"a=shared", "tensor cores read A from shared memory"},
    {"a=registers", "tensor cores read A from registers"},
    {"instruction_n", "columns of one tensor-core instruction"},
    {"splits", "CTAs that share a tile along K"},
    {"min_k_blocks", "fewest K blocks of a part of a tile"},
    {"reduction=turnstile", "partial sums of a tile are added in the order of K"},
    {"reduction=atomic", "partial sums of a tile are added as they come"},
    {"reduction=spread", "partial sums are kept apart; each CTA adds up a slice of the tile"},
    {"grid=tiles", "a CTA for each tile"},
    {"grid=resident", "as many CTAs as fit, each looping over tiles"},
    {"grid=takeover", "a CTA for each tile; a running one may take over the work of the next"},
    {"raster=grouped_m", "tiles in bands of rows, column by column"},
    {"raster=grouped_n", "tiles in bands of columns, row by row"},
    {"raster=hilbert", "tiles along a Hilbert curve"},
    {"group", "tile rows or columns of a band"},
    {"walk=strided", "of W CTAs, the w-th takes tiles w, w + W, w + 2 W, ..."},
    {"walk=chunked", "each CTA takes one run of tiles"},
    {"store=deferred", "a finished tile goes to C under the next one's K blocks"},
    {"operands=swapped", "a tile is one of C transposed: its rows are columns of C, or of weights"},
};

std::string_view meaning_of(std::string_view key_value) {
  for (const std::string_view wanted : {key_value, key_value.substr(0, key_value.find('='))}) {
    const auto found = std::ranges::find(kKeys, wanted, [](const auto& row) { return row.first; });
    if (found != std::end(kKeys)) {
      return found->second;
    }
  }
  TILECAST_ASSERT(!"a key without a meaning");
  return {};
}

}  // namespace

std::string_view meaning_of(Layout layout) {
  switch (layout) {
    case Layout::kTn:
      return "B is [N,K], K contiguous";
    case Layout::kNn:
      return "B is [K,N], N contiguous";
    case Layout::kNt:
      return "A is [K,M], M contiguous, and B [K,N], N contiguous: a weight gradient's";
    case Layout::kTt:
      return "A is [K,M], M contiguous, and B [N,K], K contiguous";
  }
  TILECAST_ASSERT(!"an unknown layout");
  return {};
}

std::vector<KeyMeaning> key_meanings(const KernelConfig& config) {
  const std::string text = to_text(config);
  std::vector<KeyMeaning> meanings;
  for (const std::string_view part :
       split(std::string_view(text).substr(text.find(':') + 1), ',')) {
    meanings.push_back({std::string(part), meaning_of(part)});
  }
  return meanings;
}

}  // namespace tilecast
