#include "model/gemm/config/kernel_config_text.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/base/words.h"
#include "model/gemm/config/register_plan.h"
#include "model/op/config_key_texts.h"

namespace tilecast {
namespace {

constexpr auto kSchedules = names_of(kEverySchedule);
constexpr KeyWord kRasters[] = {
    {RasterKind::kGroupedM, "grouped_m", "m", "groups of tile rows, each walked column by column"},
    {RasterKind::kGroupedN, "grouped_n", "n", "groups of tile columns, each walked row by row"},
    {RasterKind::kHilbert, "hilbert", "h", "tiles along a Hilbert curve"}};
constexpr KeyWord kWalks[] = {
    {Walk::kStrided, "strided", "", "CTA w of W takes tiles w, w + W, w + 2 W, ..."},
    {Walk::kChunked, "chunked", "k", "each CTA takes one contiguous run of tiles"}};
constexpr KeyWord kGrids[] = {
    {Grid::kTiles, "tiles", "1", "one CTA per tile"},
    {Grid::kResident, "resident", "", "persistent: as many CTAs as fit, each looping over tiles"},
    {Grid::kTakeover, "takeover", "t",
     "one CTA per tile; a running CTA may take over the tile of one not yet launched"}};
constexpr auto kHopperGrids = std::span(kGrids).first<2>();  // grids without takeover
constexpr KeyWord kReductions[] = {
    {Reduction::kTurnstile, "turnstile", "t", "partial sums of a tile are added in order of K"},
    {Reduction::kAtomic, "atomic", "a",
     "partial sums of a tile are added atomically, in any order"},
    {Reduction::kSpread, "spread", "s",
     "partial sums are stored separately; each CTA adds up a slice of the tile"}};
constexpr KeyWord kStores[] = {{Store::kDeferred, "deferred", "d",
                                "a finished tile is stored to C during the next tile's K blocks"}};
constexpr KeyWord kOperands[] = {{OperandOrder::kSwapped, "swapped", "x",
                                  "a tile is a tile of C transposed: its rows are columns of C"}};
constexpr KeyWord kSources[] = {
    {OperandSource::kShared, "shared", "ss", "tensor cores read A from shared memory"},
    {OperandSource::kRegisters, "registers", "rs", "tensor cores read A from registers"}};
constexpr Words<Layout, 4> kLayouts{
    {{Layout::kTn, "tn"}, {Layout::kNn, "nn"}, {Layout::kNt, "nt"}, {Layout::kTt, "tt"}}};
constexpr Words<Accumulate, 2> kAccumulates{
    {{Accumulate::kFast, "fast"}, {Accumulate::kExact, "exact"}}};

constexpr i32 kMostExtent = std::numeric_limits<i32>::max();

/// Parses "128x256x64" as exactly `count` positive 31-bit numbers.
std::optional<std::vector<i64>> parse_extents(std::string_view text, std::size_t count) {
  std::vector<i64> extents;
  const std::string lower = lower_case(text);
  for (const std::string_view part : split(lower, 'x')) {
    const std::optional<i64> value = parse_integer(part);
    if (!value || *value < 1 || *value > kMostExtent) {
      return std::nullopt;
    }
    extents.push_back(*value);
  }
  return extents.size() == count ? std::optional(extents) : std::nullopt;
}

bool has_many_tiles(Schedule s) { return !traits_of(s).one_k_block; }
bool has_one_k_block(Schedule s) { return traits_of(s).one_k_block; }
bool has_producer_key(Schedule s) { return has_producer_warpgroup(s) && !uses_tcgen05(s); }
bool chooses_walk(Schedule s) {
  return (traits_of(s).grid == Grid::kResident || traits_of(s).grid_is_open) && !splits_k(s);
}

i32 usual_producer_registers(const KernelConfig& config) {
  const i64 consumers = i64{config.tiling.warpgroups_m} * config.tiling.warpgroups_n *
                        traits_of(config.schedule).tiles_at_once;
  return has_producer_key(config.schedule)
             ? default_producer_registers(static_cast<i32>(std::min<i64>(consumers, 4)))
             : 0;
}

/// A Hilbert curve has no swizzle groups.
i32 usual_group(const KernelConfig& config) {
  return config.raster.kind == RasterKind::kHilbert ? config.raster.group : -1;
}

template <auto... kPath>
constexpr ConfigMember<KernelConfig> in_config = member_at<KernelConfig, kPath...>;
template <i32 Tiling::*kMember>
constexpr ConfigMember<KernelConfig> in_tile =
    member_at<KernelConfig, &KernelConfig::tiling, kMember>;

ConfigKeys<KernelConfig> kernel_config_keys() {
  using K = KernelConfig;
  using Key = ConfigKey<KernelConfig>;
  const auto split_by_worker = [](Schedule s) { return splits_k(s) && !splits_equally(s); };
  const auto has_warpgroups = [](Schedule s) { return traits_of(s).tiles_at_once == 1; };
  const auto has_cluster = [](Schedule s) { return traits_of(s).shares_operands; };
  const auto has_accumulators = [](Schedule s) { return traits_of(s).accumulators_are_open; };
  const auto has_grid = [](Schedule s) { return traits_of(s).grid_is_open && !uses_tcgen05(s); };
  const auto has_grid_5 = [](Schedule s) { return traits_of(s).grid_is_open && uses_tcgen05(s); };
  const auto has_store = [](Schedule s) { return traits_of(s).stores_can_be_deferred; };
  const auto has_operands = [](Schedule s) {
    return has_ring(s) && traits_of(s).tensor_core == TensorCore::kWgmma;
  };
  const auto has_inflight = [](Schedule s) { return has_ring(s) && !uses_mma_sync(s); };
  const auto has_c_slots = [](Schedule s) { return has_many_tiles(s) && !uses_mma_sync(s); };
  std::vector<Key> keys{
      Key("tile", "",
          {in_tile<&Tiling::block_m>, in_tile<&Tiling::block_n>, in_tile<&Tiling::block_k>},
          nullptr, "rows and columns of a CTA's tile of C, and depth of a K block",
          {.form = "MxNxK", .most = kMostExtent}),
      Key("stages", "s", {in_tile<&Tiling::stages>}, has_ring,
          "pipeline stages: K blocks of A and B in shared memory"),
      Key("warpgroups", "w", {in_tile<&Tiling::warpgroups_m>, in_tile<&Tiling::warpgroups_n>},
          has_warpgroups, "warpgroups that share a tile, along M and N",
          {.form = "MxN", .most = kMostExtent}),
      Key("cluster", "c", {in_tile<&Tiling::cluster_m>, in_tile<&Tiling::cluster_n>}, has_cluster,
          "cluster of CTAs that share operands by multicast, along M and N",
          {.form = "MxN", .most = kMostExtent}),
      Key("cta_group", "", {in_tile<&Tiling::cluster_m>}, uses_tcgen05,
          "CTAs that share each tensor-core instruction"),
      Key("accumulators", "a", {in_config<&K::accumulators>}, has_accumulators,
          "accumulator sets (tiles) in tensor memory"),
      Key("ctas", "o", {in_config<&K::ctas_per_sm>}, has_many_tiles, "CTAs per SM"),
      Key("inflight", "i", {in_config<&K::inflight>}, has_inflight,
          "K blocks whose wgmmas may still be in flight when the next ones are issued",
          {.least = 0}),
      Key("c_slots", "e", {in_tile<&Tiling::c_slots>}, has_c_slots,
          "staging buffers of C per warpgroup; 0: C borrows pipeline stages", {.least = 0}),
      Key("producer", "r", {in_config<&K::producer_registers>}, has_producer_key,
          "registers per producer thread; the consumers get the rest",
          {.usual = usual_producer_registers}),
      Key("a", "", {in_config<&K::a_source>}, has_one_k_block, "", {kSources}),
      Key("instruction_n", "in", {in_config<&K::instruction_n>}, has_one_k_block,
          "columns of one tensor-core instruction"),
      Key("splits", "k", {in_config<&K::decomposition, &Decomposition::splits>}, splits_equally,
          "CTAs that share a tile along K"),
      Key("min_k_blocks", "k", {in_config<&K::decomposition, &Decomposition::min_k_blocks>},
          split_by_worker, "minimum K blocks per part of a tile", {.behind = "+"}),
      Key("reduction", "", {in_config<&K::decomposition, &Decomposition::reduction>}, splits_k, "",
          {kReductions}),
      Key("grid", "", {in_config<&K::grid>}, has_grid, "", {kHopperGrids}),
      Key("grid", "", {in_config<&K::grid>}, has_grid_5, "", {kGrids}),
      Key("raster", "", {in_config<&K::raster, &Raster::kind>}, has_many_tiles, "", {kRasters}),
      Key("group", "", {in_config<&K::raster, &Raster::group>}, has_many_tiles,
          "tile rows or columns per swizzle group", {.usual = usual_group}),
      Key("walk", "", {in_config<&K::raster, &Raster::walk>}, chooses_walk, "", {kWalks}),
      Key("store", "", {in_config<&K::store>}, has_store, "", {.words = kStores, .optional = true}),
      Key("operands", "", {in_config<&K::operands>}, has_operands, "",
          {.words = kOperands, .optional = true})};
  using Word = ShortWord;
  std::vector<ShortWord> words{Word({{"tile"}}, true),
                               Word({{"stages"}}, true),
                               Word({{"warpgroups"}}, true),
                               Word({{"cluster"}}, true),
                               Word({{"ctas"}}, true),
                               Word({{"inflight"}}, true),
                               Word({{"c_slots", "store"}}, true),
                               Word({{"raster", "group", "walk"}}, true),
                               Word({{"splits", "reduction"}}),
                               Word({{"min_k_blocks", "reduction"}}),
                               Word({{"a"}}),
                               Word({{"instruction_n"}}),
                               Word({{"accumulators"}}),
                               Word({{"producer"}}, true),
                               Word({{"operands"}}, true)};
  return {std::move(keys), std::move(words)};
}

}  // namespace

std::string_view to_text(Schedule schedule) { return word_of(kSchedules, schedule); }
std::string_view to_text(Reduction reduction) {
  return kReductions[static_cast<std::size_t>(reduction)].word;
}
std::string_view to_text(RasterKind kind) { return kRasters[static_cast<std::size_t>(kind)].word; }
std::string_view to_text(Layout layout) { return word_of(kLayouts, layout); }
std::string_view meaning_of(Layout layout) {
  switch (layout) {
    case Layout::kTn:
      return "B is [N,K], K contiguous";
    case Layout::kNn:
      return "B is [K,N], N contiguous";
    case Layout::kNt:
      return "A is [K,M], M contiguous, and B [K,N], N contiguous, as in a weight gradient";
    case Layout::kTt:
      return "A is [K,M], M contiguous, and B [N,K], K contiguous";
  }
  TILECAST_ASSERT(!"an unknown layout");
  return {};
}

std::string_view to_text(Accumulate accumulate) { return word_of(kAccumulates, accumulate); }

std::string to_text(const GemmShape& shape) {
  return fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
}

std::string to_text(const Batch& batch) {
  const bool shares = batch.one_a || batch.one_b;
  return fmt::format("{}{}{}{}", batch.products, shares ? ":" : "", batch.one_a ? "a" : "",
                     batch.one_b ? "b" : "");
}

template <>
const ConfigKeys<KernelConfig>& config_keys() {
  static const ConfigKeys<KernelConfig> keys = kernel_config_keys();
  return keys;
}

std::string to_text(const KernelConfig& config) { return canonical_text(config); }

Schedule parse_schedule(std::string_view text) { return value_of(kSchedules, "schedule", text); }
Layout parse_layout(std::string_view text) {
  // BLAS, CUTLASS and nvFuser name layouts for column-major matrices: their NN is tt in tilecast,
  // their TT nn.
  refuse_if(
      text == "NN" || text == "TT",
      "layout '{}': expected tilecast's name in lower case: nn for A [M,K] and B [K,N], which "
      "BLAS calls TT, or tt for A [K,M] and B [N,K], which BLAS calls NN",
      text);
  return value_of(kLayouts, "layout", text);
}
Accumulate parse_accumulate(std::string_view text) {
  return value_of(kAccumulates, "accumulate", text);
}

GemmShape parse_gemm_shape(std::string_view text) {
  const std::optional<std::vector<i64>> sides = parse_extents(text, 3);
  if (!sides) {
    throw ConfigError(
        fmt::format("shape '{}': expected MxNxK, three integers, M and N from 1 to 16777216, K "
                    "from 1 to 2147483647, such as 4096x4096x4096",
                    on_one_line(text)));
  }
  return {(*sides)[0], (*sides)[1], (*sides)[2]};
}

Batch parse_batch(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::optional<i64> products = parse_integer(text.substr(0, colon));
  const std::string shared = colon == text.npos ? "" : lower_case(text.substr(colon + 1));
  const bool names_matrices =
      colon == text.npos || shared == "a" || shared == "b" || shared == "ab";
  if (products && *products >= 1 && *products <= kMostExtent && names_matrices) {
    return {*products, shared.starts_with('a'), shared.ends_with('b')};
  }
  throw ConfigError(
      fmt::format("batch '{}': expected a number of GEMMs from 1 to 2147483647, such as 32; "
                  "32:a, 32:b or 32:ab if they share A, B or both",
                  on_one_line(text)));
}

KernelConfig parse_kernel_config(std::string_view text) {
  const KernelConfig config =
      parse_canonical(text, fixed_by_schedule(parse_schedule(name_in(text))));
  if (config.raster.kind == RasterKind::kHilbert && config.raster.group != 1) {
    bad_config(text, "raster=hilbert requires group=1");
  }
  return config;
}

template std::vector<KeyValue> key_values(const KernelConfig&);
template std::string canonical_text(const KernelConfig&);
template KernelConfig parse_canonical(std::string_view, const KernelConfig&);
template std::string short_word(const ShortWord&, const KernelConfig&);
template bool read_short_word(const ShortWord&, std::string_view, KernelConfig&);
template bool set_part(std::string_view, KernelConfig&);

}  // namespace tilecast
