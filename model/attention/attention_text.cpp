#include "model/attention/attention_text.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "model/attention/attention_work.h"
#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/base/words.h"
#include "model/op/config_key_texts.h"

namespace tilecast {
namespace {

constexpr auto kAttentionSchedules = names_of(kEveryAttentionSchedule);
constexpr Words<AttentionMask, 2> kMasks{
    {{AttentionMask::kFull, "full"}, {AttentionMask::kCausal, "causal"}}};
constexpr Words<AttentionLayout, 2> kAttentionLayouts{
    {{AttentionLayout::kBhsd, "bhsd"}, {AttentionLayout::kBshd, "bshd"}}};
constexpr Words<bool, 2> kLse{{{false, "no"}, {true, "yes"}}};

constexpr KeyWord kGridWords[] = {
    {AttentionGrid::kTiles, "tiles", "ct", "a CTA for each tile, in the hardware's order"},
    {AttentionGrid::kClusters, "clusters", "cl",
     "a CTA for each tile; the CTAs that share keys are a cluster"},
    {AttentionGrid::kResident, "resident", "re", "as many CTAs as fit at once loop over tiles"}};
constexpr KeyWord kOrderWords[] = {
    {AttentionOrder::kStatic, "static", "st", "heads in sequence"},
    {AttentionOrder::kLongestFirst, "longest_first", "lf",
     "heads in sections that fit in L2, in each the tiles with most keys first"},
    {AttentionOrder::kDynamic, "dynamic", "dy",
     "tiles in order longest_first (mask full: static), drawn from a counter"}};
constexpr KeyWord kPackWords[] = {
    {false, "no", "", "a tile has rows of one head"},
    {true, "yes", "pk", "a tile has rows of all query heads of a KV head"}};

template <auto kMember>
constexpr ConfigMember<AttentionConfig> in_attention = member_at<AttentionConfig, kMember>;
constexpr ConfigMember<AttentionConfig> kRows{
    [](const AttentionConfig& c) { return tile_rows(c); },
    [](AttentionConfig& c, i32 rows) { c.groups = rows / kGroupRows; }};

ConfigKeys<AttentionConfig> attention_config_keys() {
  using C = AttentionConfig;
  using Key = ConfigKey<AttentionConfig>;
  std::vector<Key> keys{
      Key("tile", "", {kRows, in_attention<&C::kv_block>}, nullptr,
          "query rows, 64 for each warpgroup, and keys per block", {.form = "ROWSxKEYS"}),
      Key("stages", "s", {in_attention<&C::stages>}, nullptr, "stages of K; V has the same number"),
      Key("ctas", "o", {in_attention<&C::ctas_per_sm>}, nullptr, "CTAs per SM"),
      Key("grid", "", {in_attention<&C::grid>}, nullptr, "", {kGridWords}),
      Key("order", "", {in_attention<&C::order>}, nullptr, "", {kOrderWords}),
      Key("splits", "k", {in_attention<&C::splits>}, nullptr, "CTAs that share a tile's keys"),
      Key("pack", "", {in_attention<&C::pack>}, nullptr, "", {kPackWords})};
  std::vector<ShortWord> short_words;
  for (const Key& key : keys) {
    short_words.push_back({{key.name}});
  }
  return {std::move(keys), std::move(short_words)};
}

std::optional<i32> count_in(std::string_view text) {
  constexpr i64 kMost = i64{1} << 24;
  const std::optional<i64> number = parse_integer(text);
  return number && *number >= 1 && *number <= kMost ? std::optional(static_cast<i32>(*number))
                                                    : std::nullopt;
}

template <i32 AttentionProblem::*kMember>
constexpr ProblemField<AttentionProblem> count_field(std::string_view name) {
  return {name, [](const AttentionProblem& p) { return fmt::to_string(p.*kMember); },
          [](AttentionProblem& p, std::string_view text) {
            const std::optional<i32> count = count_in(text);
            refuse_if(!count, "expected an integer from 1 to 2^24, got '{}'", on_one_line(text));
            p.*kMember = *count;
          }};
}
template <auto AttentionProblem::*kMember, const auto& kWords>
constexpr ProblemField<AttentionProblem> word_field(std::string_view name, const char* help) {
  return {name,
          [](const AttentionProblem& p) { return std::string(word_of(kWords, p.*kMember)); },
          [](AttentionProblem& p, std::string_view text) {
            p.*kMember = value_of(kWords, "value", text);
          },
          help,
          {},
          [](const AttentionProblem&, std::string_view usual) {
            return find_value(kWords, usual).has_value();
          }};
}
constexpr ProblemField<AttentionProblem> kAttentionFields[] = {
    count_field<&AttentionProblem::batch>("batch"),
    count_field<&AttentionProblem::heads>("heads"),
    count_field<&AttentionProblem::kv_heads>("kv_heads"),
    word_field<&AttentionProblem::mask, kMasks>(
        "mask",
        "Attention only. full, or causal: each query attends to the keys up to its own position; "
        "the last query attends to all"),
    word_field<&AttentionProblem::layout, kAttentionLayouts>("layout", nullptr),
    word_field<&AttentionProblem::lse, kLse>(
        "lse", "Attention only. yes: the log-sum-exp of each row is also written")};

[[noreturn]] void bad_attention_shape(std::string_view shape) {
  throw ConfigError(
      fmt::format("shape '{}': expected BATCHxHEADS:KV_HEADSxQUERIESxKEYSxHEAD_DIM, each from "
                  "1 to 2^24, such as 4x32:8x4096x4096x128; variable lengths and a paged KV cache "
                  "are not supported",
                  on_one_line(shape)));
}

}  // namespace

std::string_view to_text(AttentionSchedule schedule) {
  return word_of(kAttentionSchedules, schedule);
}

template <>
const ConfigKeys<AttentionConfig>& config_keys() {
  static const ConfigKeys<AttentionConfig> keys = attention_config_keys();
  return keys;
}

std::string to_text(const AttentionConfig& config) { return canonical_text(config); }

AttentionConfig fixed_by_schedule(AttentionSchedule schedule) {
  AttentionConfig config{};
  config.schedule = schedule;
  config.splits = 1;
  return config;
}

std::string shape_text(const AttentionProblem& p) {
  return fmt::format("{}x{}{}x{}x{}x{}", p.batch, p.heads,
                     p.kv_heads == p.heads ? "" : fmt::format(":{}", p.kv_heads), p.queries, p.keys,
                     p.head_dim);
}

std::string to_text(const AttentionProblem& p) {
  return fmt::format("{} {} {} {}{}", shape_text(p), traits_of(p.dtype).name,
                     word_of(kMasks, p.mask), word_of(kAttentionLayouts, p.layout),
                     p.lse ? " lse" : "");
}

std::string title_of(const AttentionProblem& p) {
  return fmt::format(
      "Attention: {}, {}{}, {} x {}, head dimension {}, {}, {}, [{}]{}",
      counted(static_cast<std::size_t>(p.batch), "sequence"),
      counted(static_cast<std::size_t>(p.heads), "head"),
      p.kv_heads == p.heads
          ? ""
          : fmt::format(" ({})", counted(static_cast<std::size_t>(p.kv_heads), "KV head")),
      p.queries == 1 ? "1 query" : fmt::format("{} queries", with_commas(p.queries)),
      p.keys == 1 ? "1 key" : fmt::format("{} keys", with_commas(p.keys)), p.head_dim,
      traits_of(p.dtype).name, word_of(kMasks, p.mask),
      p.layout == AttentionLayout::kBhsd ? "b,h,s,d" : "b,s,h,d", p.lse ? ", log-sum-exp" : "");
}

std::span<const ProblemField<AttentionProblem>> fields_of(const AttentionProblem&) {
  return kAttentionFields;
}

void set_sides(AttentionProblem& p, const std::array<i64, 3>& sides) {
  p.queries = static_cast<i32>(sides[0]);
  p.keys = static_cast<i32>(sides[1]);
  p.head_dim = static_cast<i32>(sides[2]);
}

u64 shape_seed(const AttentionProblem& p) {
  constexpr u64 kPrime = 1'000'003;
  u64 seed = 0;
  for (const i32 number : {p.batch, p.heads, p.kv_heads, p.queries, p.keys, p.head_dim}) {
    seed = seed * kPrime + static_cast<u64>(number);
  }
  return seed;
}

void read_shape(Op, std::string_view shape, ElementType dtype, AttentionProblem& p) {
  const std::vector<std::string_view> parts = split(shape, 'x');
  if (parts.size() != 5) {
    bad_attention_shape(shape);
  }
  const std::vector<std::string_view> heads = split(parts[1], ':');
  std::vector<i32> numbers;
  for (const std::string_view part :
       {parts[0], heads.front(), heads.back(), parts[2], parts[3], parts[4]}) {
    const std::optional<i32> number = count_in(part);
    if (heads.size() > 2 || !number) {
      bad_attention_shape(shape);
    }
    numbers.push_back(*number);
  }
  p.batch = numbers[0];
  p.heads = numbers[1];
  p.kv_heads = numbers[2];
  set_sides(p, {numbers[3], numbers[4], numbers[5]});
  refuse_if(dtype != ElementType::kFp16 && dtype != ElementType::kBf16,
            "dtype '{}': expected fp16 or bf16 for attention", traits_of(dtype).name);
  if (const std::string_view why = why_not_attention(p); !why.empty()) {
    throw ConfigError(fmt::format("shape '{}': {}", on_one_line(shape), why));
  }
}

std::string tile_text(const AttentionConfig& c) {
  return fmt::format("{}x{}{}", tile_rows(c), c.kv_block,
                     c.splits > 1 ? fmt::format(" k{}", c.splits) : "");
}

std::string kernel_text(const AttentionConfig& c) {
  const std::string_view order = key_texts::word_of(kOrderWords, static_cast<i32>(c.order))->word;
  return fmt::format("{}, tile {}x{}, {} stages, {}{}{}{}", to_text(c.schedule), tile_rows(c),
                     c.kv_block, c.stages,
                     c.grid == AttentionGrid::kTiles      ? "a CTA per tile"
                     : c.grid == AttentionGrid::kClusters ? "a cluster per tile"
                                                          : "resident CTAs",
                     c.order == AttentionOrder::kStatic ? "" : fmt::format(", {} order", order),
                     c.splits > 1 ? fmt::format(", {} splits", c.splits) : "",
                     c.pack ? ", heads packed" : "");
}

std::array<i32, 3> tile_of(const AttentionConfig& c) {
  return {tile_rows(c), c.kv_block, c.splits};
}

bool is_rated_in_bytes(const AttentionProblem& p) {
  constexpr double kFlopsPerByte = 100;  // FLOPs per DRAM byte; a Hopper GPU does over 200
  return attention_flops(p) < kFlopsPerByte * attention_bytes(p);
}

template std::vector<KeyValue> key_values(const AttentionConfig&);
template std::string canonical_text(const AttentionConfig&);
template AttentionConfig parse_canonical(std::string_view, const AttentionConfig&);
template std::string short_word(const ShortWord&, const AttentionConfig&);
template bool read_short_word(const ShortWord&, std::string_view, AttentionConfig&);

}  // namespace tilecast
