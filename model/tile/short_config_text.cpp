#include "model/tile/short_config_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/base/words.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/register_plan.h"
#include "model/tile/stream_config_text.h"

namespace tilecast {
namespace {

constexpr Words<Grid, 3> kGrids{
    {{Grid::kTiles, "1"}, {Grid::kResident, ""}, {Grid::kTakeover, "t"}}};
constexpr Words<Reduction, 3> kReductions{
    {{Reduction::kTurnstile, "t"}, {Reduction::kAtomic, "a"}, {Reduction::kSpread, "s"}}};
constexpr Words<OperandSource, 2> kSources{
    {{OperandSource::kShared, "ss"}, {OperandSource::kRegisters, "rs"}}};
constexpr Words<StreamLayout, 2> kLayouts{
    {{StreamLayout::kPlain, "pl"}, {StreamLayout::kSwizzled, "sw"}}};
constexpr Words<StreamView, 2> kShortViews{
    {{StreamView::kMatrix, "mx"}, {StreamView::kFlat, "fl"}}};
constexpr Words<CacheHint, 4> kShortHints{{{CacheHint::kNone, "hn"},
                                           {CacheHint::kEvictFirst, "he"},
                                           {CacheHint::kLoadsEvictFirst, "hl"},
                                           {CacheHint::kStoresEvictFirst, "hs"}}};

/// Sets `value` where `word` is one of the words.
template <class Enum, std::size_t kCount>
bool read_word(const Words<Enum, kCount>& words, std::string_view word, Enum& value) {
  const auto found = std::ranges::find(words, word, [](const auto& row) { return row.second; });
  if (found != words.end()) {
    value = found->first;
  }
  return found != words.end();
}

std::string raster_text(const Raster& raster) {
  const char* walk = raster.walk == Walk::kChunked ? "k" : "";
  switch (raster.kind) {
    case RasterKind::kGroupedM:
      return fmt::format("m{}{}", raster.group, walk);
    case RasterKind::kGroupedN:
      return fmt::format("n{}{}", raster.group, walk);
    case RasterKind::kHilbert:
      return fmt::format("h{}", walk);
  }
  TILECAST_ASSERT(!"a raster without an abbreviation");
  return {};
}

bool has_producer_key(Schedule schedule) {
  return has_producer_warpgroup(schedule) && !uses_tcgen05(schedule);
}

i32 usual_producer_registers(const KernelConfig& config) {
  return has_producer_key(config.schedule)
             ? default_producer_registers(consumer_warpgroups(config.schedule, config.tiling))
             : 0;
}

/// "2x1" as exactly these numbers. What exceeds `kMost` no kernel has.
template <i32 kMost = 1 << 20, class... Numbers>
bool read_extents(std::string_view text, Numbers&... numbers) {
  const std::vector<std::string_view> parts = split(text, 'x');
  if (parts.size() != sizeof...(numbers)) {
    return false;
  }
  std::size_t next = 0;
  const auto read = [&](i32& number) {
    const std::optional<i64> value = parse_integer(parts[next++]);
    number = static_cast<i32>(std::clamp<i64>(value.value_or(-1), -1, kMost));
    return number >= 0;
  };
  return (read(numbers) && ...);
}

/// Takes `ending` off the end of `text` where it stands there.
bool strip(std::string_view& text, char ending) {
  const bool there = text.ends_with(ending);
  text.remove_suffix(there ? 1 : 0);
  return there;
}

bool read_raster(RasterKind kind, std::string_view rest, Raster& raster) {
  raster = {kind, 1, strip(rest, 'k') ? Walk::kChunked : Walk::kStrided};
  return kind == RasterKind::kHilbert ? rest.empty() : read_extents(rest, raster.group);
}

bool read_decomposition(std::string_view rest, Decomposition& how) {
  if (rest.empty() || !read_word(kReductions, rest.substr(rest.size() - 1), how.reduction)) {
    return false;
  }
  rest.remove_suffix(1);
  return strip(rest, '+') ? read_extents(rest, how.min_k_blocks) : read_extents(rest, how.splits);
}

/// What one word says. Numbers are checked by the long text's parser.
bool read_word(std::string_view word, KernelConfig& config) {
  Tiling& t = config.tiling;
  if (word.starts_with('h')) {
    return read_raster(RasterKind::kHilbert, word.substr(1), config.raster);
  }
  const std::size_t digits = std::min(word.find_first_of("0123456789"), word.size());
  const std::string_view letters = word.substr(0, digits);
  std::string_view rest = word.substr(digits);
  if (letters.empty()) {
    return read_extents(rest, t.block_m, t.block_n, t.block_k);
  }
  if (letters == "w") {
    constexpr i32 kMostWarpgroups = 1 << 10;  // so that their product fits
    return read_extents<kMostWarpgroups>(rest, t.warpgroups_m, t.warpgroups_n);
  }
  if (letters == "c") {
    return read_extents(rest, t.cluster_m, t.cluster_n);
  }
  if (letters == "e") {
    config.store = strip(rest, 'd') ? Store::kDeferred : Store::kAtTileEnd;
    return read_extents(rest, t.c_slots);
  }
  if (letters == "m" || letters == "n") {
    return read_raster(letters == "m" ? RasterKind::kGroupedM : RasterKind::kGroupedN, rest,
                       config.raster);
  }
  if (letters == "k") {
    return read_decomposition(rest, config.decomposition);
  }
  if (word == "x") {
    config.operands = OperandOrder::kSwapped;
    return true;
  }
  const std::pair<std::string_view, i32*> numbers[] = {{"s", &t.stages},
                                                       {"o", &config.ctas_per_sm},
                                                       {"i", &config.inflight},
                                                       {"a", &config.accumulators},
                                                       {"in", &config.instruction_n},
                                                       {"r", &config.producer_registers}};
  for (const auto& [letter, number] : numbers) {
    if (letters == letter) {
      return read_extents(rest, *number);
    }
  }
  return read_word(kSources, word, config.a_source);
}

bool read_word(std::string_view word, StreamConfig& config) {
  const std::size_t digits = std::min(word.find_first_of("0123456789"), word.size());
  const std::string_view letters = word.substr(0, digits), rest = word.substr(digits);
  if (letters.empty()) {
    return read_extents(rest, config.block_rows, config.block_columns);
  }
  const std::pair<std::string_view, i32*> numbers[] = {{"s", &config.stages},
                                                       {"w", &config.warps},
                                                       {"v", &config.vector_bytes},
                                                       {"o", &config.ctas_per_sm}};
  for (const auto& [letter, number] : numbers) {
    if (letters == letter && !rest.empty()) {
      return read_extents(rest, *number);
    }
  }
  const std::optional<BlockOrder> order = block_order_named(word);
  config.order = order.value_or(config.order);
  return order || read_word(kLayouts, word, config.layout) ||
         read_word(kShortViews, word, config.view) || read_word(kShortHints, word, config.hint);
}

/// What stands behind the schedule's abbreviation, `how`, and as words, on what is fixed by it.
std::optional<AnyConfig> read_words(Schedule schedule, std::string_view how,
                                    const std::vector<std::string_view>& words) {
  KernelConfig config = fixed_by_schedule(schedule);
  config.producer_registers = -1;
  if (traits_of(schedule).grid_is_open && !read_word(kGrids, how, config.grid)) {
    return std::nullopt;
  }
  for (const std::string_view word : words) {
    if (!read_word(word, config)) {
      return std::nullopt;
    }
  }
  if (config.producer_registers < 0) {
    config.producer_registers = usual_producer_registers(config);
  }
  return config;
}

std::optional<AnyConfig> read_words(StreamSchedule schedule, std::string_view,
                                    const std::vector<std::string_view>& words) {
  StreamConfig config{};
  config.schedule = schedule;
  config.stages = 1;
  config.vector_bytes = kChunkBytes;
  for (const std::string_view word : words) {
    if (!read_word(word, config)) {
      return std::nullopt;
    }
  }
  return config;
}

}  // namespace

std::string short_text(const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const ScheduleTraits traits = traits_of(config.schedule);
  std::string text =
      fmt::format("{}{} {}x{}x{} s{} w{}x{} c{}x{} o{} i{} e{}{} {}", traits.abbreviation,
                  traits.grid_is_open ? word_of(kGrids, config.grid) : "", t.block_m, t.block_n,
                  t.block_k, t.stages, t.warpgroups_m, t.warpgroups_n, t.cluster_m, t.cluster_n,
                  config.ctas_per_sm, config.inflight, t.c_slots,
                  config.store == Store::kDeferred ? "d" : "", raster_text(config.raster));
  if (splits_k(config.schedule)) {
    const Decomposition& how = config.decomposition;
    text += splits_equally(config.schedule) ? fmt::format(" k{}", how.splits)
                                            : fmt::format(" k{}+", how.min_k_blocks);
    text += word_of(kReductions, how.reduction);
  }
  if (traits.one_k_block) {
    text += fmt::format(" {} in{}", word_of(kSources, config.a_source), config.instruction_n);
  }
  if (traits.accumulators_are_open) {
    text += fmt::format(" a{}", config.accumulators);
  }
  if (config.producer_registers != usual_producer_registers(config)) {
    text += fmt::format(" r{}", config.producer_registers);
  }
  if (config.operands == OperandOrder::kSwapped) {
    text += " x";
  }
  return text;
}

std::string short_text(const StreamConfig& config) {
  const StreamSchedule schedule = config.schedule;
  std::string text = fmt::format("{} {}x{}", traits_of(schedule).abbreviation, config.block_rows,
                                 config.block_columns);
  const auto add = [&text](bool applies, std::string_view letter, const auto& value) {
    if (applies) {
      text += fmt::format(" {}{}", letter, value);
    }
  };
  add(chooses_stages(schedule), "s", config.stages);
  add(true, "w", config.warps);
  add(!uses_tma(schedule), "v", config.vector_bytes);
  add(true, "o", config.ctas_per_sm);
  add(chooses_layout(schedule), "", word_of(kLayouts, config.layout));
  add(!is_memcpy(schedule), "", word_of(kShortViews, config.view));
  add(true, "", to_text(config.order));
  add(true, "", word_of(kShortHints, config.hint));
  return text;
}

std::string short_text(const AnyConfig& config) {
  return std::visit([](const auto& c) { return short_text(c); }, config);
}

std::string_view abbreviation_of(const AnySchedule& schedule) {
  return std::visit([](const auto s) { return traits_of(s).abbreviation; }, schedule);
}

std::optional<AnySchedule> schedule_abbreviated(std::string_view word) {
  for (const AnySchedule& schedule : every_schedule()) {
    const std::string_view abbreviation = abbreviation_of(schedule);
    const Schedule* gemm = std::get_if<Schedule>(&schedule);
    const bool grid_is_open = gemm != nullptr && traits_of(*gemm).grid_is_open;
    Grid grid;
    if (word == abbreviation || (grid_is_open && word.starts_with(abbreviation) &&
                                 read_word(kGrids, word.substr(abbreviation.size()), grid))) {
      return schedule;
    }
  }
  return std::nullopt;
}

std::optional<AnyConfig> parse_short_config(std::string_view text) {
  std::vector<std::string_view> words = split(text, ' ');
  const std::optional<AnySchedule> schedule = schedule_abbreviated(words.front());
  if (!schedule) {
    return std::nullopt;
  }
  const std::string_view how = words.front().substr(abbreviation_of(*schedule).size());
  words.erase(words.begin());
  const std::optional<AnyConfig> config =
      std::visit([&](const auto s) { return read_words(s, how, words); }, *schedule);
  // Whole, in this form, and such as the long text can say.
  return config && short_text(*config) == text && parse_config(to_text(*config)) == *config
             ? config
             : std::nullopt;
}

}  // namespace tilecast
