#include "model/tile/kernel_config_text.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/base/words.h"
#include "model/tile/key_reader_text.h"

namespace tilecast {
namespace {

constexpr auto kSchedules = names_of(kEverySchedule);
constexpr Words<RasterKind, 3> kRasters{{{RasterKind::kGroupedM, "grouped_m"},
                                         {RasterKind::kGroupedN, "grouped_n"},
                                         {RasterKind::kHilbert, "hilbert"}}};
constexpr Words<Walk, 2> kWalks{{{Walk::kStrided, "strided"}, {Walk::kChunked, "chunked"}}};
constexpr Words<Grid, 2> kGrids{{{Grid::kTiles, "tiles"}, {Grid::kResident, "resident"}}};
constexpr Words<Grid, 3> kTcgen05Grids{
    {{Grid::kTiles, "tiles"}, {Grid::kResident, "resident"}, {Grid::kTakeover, "takeover"}}};
constexpr Words<Reduction, 3> kReductions{{{Reduction::kTurnstile, "turnstile"},
                                           {Reduction::kAtomic, "atomic"},
                                           {Reduction::kSpread, "spread"}}};
constexpr Words<Store, 1> kStores{{{Store::kDeferred, "deferred"}}};  // not at the tile's end
constexpr Words<OperandOrder, 1> kOperands{{{OperandOrder::kSwapped, "swapped"}}};  // not in order
constexpr Words<OperandSource, 2> kSources{
    {{OperandSource::kShared, "shared"}, {OperandSource::kRegisters, "registers"}}};
constexpr Words<ElementType, 15> kTypes{{{ElementType::kFp16, "fp16"},
                                         {ElementType::kBf16, "bf16"},
                                         {ElementType::kFp32, "fp32"},
                                         {ElementType::kE4m3, "e4m3"},
                                         {ElementType::kE5m2, "e5m2"},
                                         // torch's, CUTLASS's, vLLM's
                                         {ElementType::kFp16, "float16"},
                                         {ElementType::kFp16, "half"},
                                         {ElementType::kFp16, "f16"},
                                         {ElementType::kBf16, "bfloat16"},
                                         {ElementType::kFp32, "float32"},
                                         {ElementType::kFp32, "f32"},
                                         {ElementType::kE4m3, "float8_e4m3fn"},
                                         {ElementType::kE4m3, "fp8_e4m3"},
                                         {ElementType::kE5m2, "float8_e5m2"},
                                         {ElementType::kE5m2, "fp8_e5m2"}}};
constexpr Words<Layout, 4> kLayouts{
    {{Layout::kTn, "tn"}, {Layout::kNn, "nn"}, {Layout::kNt, "nt"}, {Layout::kTt, "tt"}}};
constexpr Words<Accumulate, 2> kAccumulates{
    {{Accumulate::kFast, "fast"}, {Accumulate::kExact, "exact"}}};

/// Which keys the text of a schedule has; `tile` is in all.
struct ScheduleKeys {
  bool stages, warpgroups, cluster, inflight, producer, instruction, grid, walk;
  bool tiles;  // C has many tiles: ctas, c_slots, raster, group
  bool splits, min_k_blocks, reduction;
  bool cta_group, accumulators;
  bool store, operands;
};

ScheduleKeys schedule_keys(Schedule schedule) {
  const ScheduleTraits traits = traits_of(schedule);
  const bool resident = traits.grid == Grid::kResident || traits.grid_is_open;
  ScheduleKeys keys{};
  keys.tiles = !traits.one_k_block;
  keys.instruction = traits.one_k_block;
  keys.stages = keys.inflight = has_ring(schedule);
  keys.cta_group = uses_tcgen05(schedule);
  keys.accumulators = traits.accumulators_are_open;
  keys.warpgroups = traits.tiles_at_once == 1;
  keys.producer = has_producer_warpgroup(schedule) && !keys.cta_group;
  keys.cluster = traits.shares_operands;
  keys.reduction = splits_k(schedule);
  keys.splits = splits_equally(schedule);
  keys.min_k_blocks = keys.reduction && !keys.splits;
  keys.walk = resident && !keys.reduction;
  keys.grid = traits.grid_is_open;
  keys.store = traits.stores_can_be_deferred;
  keys.operands = has_ring(schedule) && !uses_tcgen05(schedule);
  return keys;
}

constexpr i32 kMostExtent = std::numeric_limits<i32>::max();

/// "128x256x64" as exactly `count` positive numbers that fit in 31 bits.
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

}  // namespace

std::string_view to_text(Schedule schedule) { return word_of(kSchedules, schedule); }
std::string_view to_text(Reduction reduction) { return word_of(kReductions, reduction); }
std::string_view to_text(RasterKind kind) { return word_of(kRasters, kind); }
std::string_view to_text(ElementType type) {
  return word_of(kTypes, type == ElementType::kE4m3x2   ? ElementType::kE4m3
                         : type == ElementType::kE5m2x2 ? ElementType::kE5m2
                                                        : type);
}
std::string_view to_text(Layout layout) { return word_of(kLayouts, layout); }
std::string_view to_text(Accumulate accumulate) { return word_of(kAccumulates, accumulate); }

std::string to_text(const GemmShape& shape) {
  return fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
}

std::string to_text(const Batch& batch) {
  const bool shares = batch.one_a || batch.one_b;
  return fmt::format("{}{}{}{}", batch.products, shares ? ":" : "", batch.one_a ? "a" : "",
                     batch.one_b ? "b" : "");
}

std::string to_text(const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const ScheduleKeys keys = schedule_keys(config.schedule);
  std::string text =
      fmt::format("{}:tile={}x{}x{}", to_text(config.schedule), t.block_m, t.block_n, t.block_k);
  const auto add = [&text](bool applies, std::string_view key, const auto& value) {
    if (applies) {
      text += fmt::format(",{}={}", key, value);
    }
  };
  add(keys.stages, "stages", t.stages);
  add(keys.warpgroups, "warpgroups", fmt::format("{}x{}", t.warpgroups_m, t.warpgroups_n));
  add(keys.cluster, "cluster", fmt::format("{}x{}", t.cluster_m, t.cluster_n));
  add(keys.cta_group, "cta_group", cta_group(t));
  add(keys.accumulators, "accumulators", config.accumulators);
  add(keys.tiles, "ctas", config.ctas_per_sm);
  add(keys.inflight, "inflight", config.inflight);
  add(keys.tiles, "c_slots", t.c_slots);
  add(keys.producer, "producer", config.producer_registers);
  add(keys.instruction, "a", to_text(config.a_source));
  add(keys.instruction, "instruction_n", config.instruction_n);
  add(keys.splits, "splits", config.decomposition.splits);
  add(keys.min_k_blocks, "min_k_blocks", config.decomposition.min_k_blocks);
  add(keys.reduction, "reduction", to_text(config.decomposition.reduction));
  add(keys.grid, "grid", word_of(kTcgen05Grids, config.grid));
  add(keys.tiles, "raster", to_text(config.raster.kind));
  add(keys.tiles, "group", config.raster.group);
  add(keys.walk, "walk", word_of(kWalks, config.raster.walk));
  const bool deferred = config.store == Store::kDeferred;
  add(keys.store && deferred, "store", deferred ? word_of(kStores, config.store) : "");
  const bool swapped = config.operands == OperandOrder::kSwapped;
  add(keys.operands && swapped, "operands", swapped ? word_of(kOperands, config.operands) : "");
  return text;
}

std::string_view to_text(OperandSource source) { return word_of(kSources, source); }

OperandSource parse_operand_source(std::string_view text) { return value_of(kSources, "a", text); }
Schedule parse_schedule(std::string_view text) { return value_of(kSchedules, "schedule", text); }
std::vector<std::string> other_words(ElementType type) {
  std::vector<std::string> others;
  for (const auto& [value, word] : kTypes) {
    if (value == type && word != word_of(kTypes, type)) {
      others.emplace_back(word);
    }
  }
  return others;
}
ElementType parse_element_type(std::string_view text) {
  if (lower_case(text) == "fp8") {
    throw ConfigError("dtype 'fp8': expected e4m3 or e5m2");
  }
  if (const std::optional<ElementType> type = element_type_named(text)) {
    return *type;
  }
  const std::vector<std::string> known{"fp16", "bf16", "e4m3", "e5m2", "fp32"};
  throw ConfigError(fmt::format(
      "unknown dtype '{}': expected fp16, bf16, e4m3 or e5m2, or fp32 of copies and additions{}",
      on_one_line(text), did_you_mean(text, known)));
}
std::optional<ElementType> element_type_named(std::string_view text) {
  constexpr std::string_view kTorch = "torch.";  // as Python prints its types
  return find_value(kTypes, text.starts_with(kTorch) ? text.substr(kTorch.size()) : text);
}
Layout parse_layout(std::string_view text) {
  // BLAS, CUTLASS and nvFuser name layouts of column-major matrices: their NN is tt, their TT nn.
  if (text == "NN" || text == "TT") {
    throw ConfigError(
        fmt::format("layout '{}': expected nn for A as [M,K] and B as [K,N], which is TT to BLAS, "
                    "or tt for A as [K,M] and B as [N,K], which is its NN",
                    text));
  }
  return value_of(kLayouts, "layout", text);
}
Accumulate parse_accumulate(std::string_view text) {
  return value_of(kAccumulates, "accumulate", text);
}

GemmShape parse_gemm_shape(std::string_view text) {
  const std::optional<std::vector<i64>> sides = parse_extents(text, 3);
  if (!sides) {
    throw ConfigError(fmt::format(
        "shape '{}': expected MxNxK, three whole numbers, M and N up to 16777216, K up to "
        "2147483647, such as 4096x4096x4096",
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
      fmt::format("batch '{}': expected a number of products from 1 to 2147483647, such as 32; "
                  "32:a, 32:b or 32:ab where they share A, B or both",
                  on_one_line(text)));
}

KernelConfig parse_kernel_config(std::string_view text) {
  KeyReader reader(text);
  KernelConfig config = fixed_by_schedule(parse_schedule(reader.name()));
  const ScheduleKeys keys = schedule_keys(config.schedule);
  Tiling& t = config.tiling;
  const std::vector<i32> tile = reader.extents("tile", 3, "MxNxK", kMostExtent);
  t.block_m = tile[0];
  t.block_n = tile[1];
  t.block_k = tile[2];
  if (keys.stages) {
    t.stages = reader.number("stages", 1);
  }
  if (keys.warpgroups) {
    const std::vector<i32> warpgroups = reader.extents("warpgroups", 2, "MxN", kMostExtent);
    t.warpgroups_m = warpgroups[0];
    t.warpgroups_n = warpgroups[1];
  }
  if (keys.cluster) {
    const std::vector<i32> cluster = reader.extents("cluster", 2, "MxN", kMostExtent);
    t.cluster_m = cluster[0];
    t.cluster_n = cluster[1];
  }
  if (keys.cta_group) {
    t.cluster_m = reader.number("cta_group", 1);
  }
  if (keys.accumulators) {
    config.accumulators = reader.number("accumulators", 1);
  }
  if (keys.tiles) {
    config.ctas_per_sm = reader.number("ctas", 1);
  }
  if (keys.inflight) {
    config.inflight = reader.number("inflight", 0);
  }
  if (keys.tiles) {
    t.c_slots = reader.number("c_slots", 0);
  }
  if (keys.producer) {
    config.producer_registers = reader.number("producer", 1);
  }
  if (keys.instruction) {
    config.a_source = parse_operand_source(reader.value("a"));
    config.instruction_n = reader.number("instruction_n", 1);
  }
  if (keys.splits) {
    config.decomposition.splits = reader.number("splits", 1);
  }
  if (keys.min_k_blocks) {
    config.decomposition.min_k_blocks = reader.number("min_k_blocks", 1);
  }
  if (keys.reduction) {
    config.decomposition.reduction = value_of(kReductions, "reduction", reader.value("reduction"));
  }
  if (keys.grid) {
    const std::string_view grid = reader.value("grid");
    config.grid = uses_tcgen05(config.schedule) ? value_of(kTcgen05Grids, "grid", grid)
                                                : value_of(kGrids, "grid", grid);
  }
  if (keys.tiles) {
    config.raster.kind = value_of(kRasters, "raster", reader.value("raster"));
    config.raster.group = reader.number("group", 1);
  }
  if (keys.walk) {
    config.raster.walk = value_of(kWalks, "walk", reader.value("walk"));
  }
  if (keys.store && reader.has("store")) {
    config.store = value_of(kStores, "store", reader.value("store"));
  }
  if (keys.operands && reader.has("operands")) {
    config.operands = value_of(kOperands, "operands", reader.value("operands"));
  }
  if (config.raster.kind == RasterKind::kHilbert && config.raster.group != 1) {
    reader.fail("raster=hilbert has no groups: expected group=1");
  }
  reader.done();
  if (const std::string canonical = to_text(config); canonical != text) {  // 04 for 4, -0 for 0
    reader.fail("expected the canonical text " + canonical);
  }
  return config;
}

}  // namespace tilecast
