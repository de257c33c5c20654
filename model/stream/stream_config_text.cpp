#include "model/stream/stream_config_text.h"

#include <utility>
#include <vector>

#include "model/base/words.h"
#include "model/op/config_key_texts.h"

namespace tilecast {
namespace {

constexpr auto kStreamSchedules = names_of(kEveryStreamSchedule);
constexpr KeyWord kLayoutWords[] = {{StreamLayout::kPlain, "plain", "pl"},
                                    {StreamLayout::kSwizzled, "swizzled", "sw"}};
constexpr KeyWord kViewWords[] = {{StreamView::kMatrix, "matrix", "mx"},
                                  {StreamView::kFlat, "flat", "fl"}};
constexpr KeyWord kOrderWords[] = {
    {BlockOrder::kBands, "bands", "bands"},       {BlockOrder::kBlocks, "blocks", "blocks"},
    {BlockOrder::kStrided, "strided", "strided"}, {BlockOrder::kChunked, "chunked", "chunked"},
    {BlockOrder::kBounded, "bounded", "bounded"}, {BlockOrder::kTickets, "tickets", "tickets"}};
constexpr KeyWord kHintWords[] = {{CacheHint::kNone, "none", "hn"},
                                  {CacheHint::kEvictFirst, "evict_first", "he"},
                                  {CacheHint::kLoadsEvictFirst, "loads_evict_first", "hl"},
                                  {CacheHint::kStoresEvictFirst, "stores_evict_first", "hs"}};

template <auto kMember>
constexpr ConfigMember<StreamConfig> in_stream = member_at<StreamConfig, kMember>;

ConfigKeys<StreamConfig> stream_config_keys() {
  using C = StreamConfig;
  using Key = ConfigKey<StreamConfig>;
  const auto has_vector = [](StreamSchedule s) { return !uses_tma(s); };
  const auto has_view = [](StreamSchedule s) { return !is_memcpy(s); };
  std::vector<Key> keys{
      Key("block", "", {in_stream<&C::block_rows>, in_stream<&C::block_columns>}, nullptr, "",
          {.form = "ROWSxCOLUMNS"}),
      Key("stages", "s", {in_stream<&C::stages>}, chooses_stages),
      Key("warps", "w", {in_stream<&C::warps>}, nullptr),
      Key("vector", "v", {in_stream<&C::vector_bytes>}, has_vector),
      Key("ctas", "o", {in_stream<&C::ctas_per_sm>}, nullptr),
      Key("layout", "", {in_stream<&C::layout>}, chooses_layout, "", {kLayoutWords}),
      Key("view", "", {in_stream<&C::view>}, has_view, "", {kViewWords}),
      Key("order", "", {in_stream<&C::order>}, nullptr, "", {kOrderWords}),
      Key("hint", "", {in_stream<&C::hint>}, nullptr, "", {kHintWords})};
  std::vector<ShortWord> short_words;
  for (const ConfigKey<StreamConfig>& key : keys) {
    short_words.push_back({{key.name}});
  }
  return {std::move(keys), std::move(short_words)};
}

}  // namespace

std::string_view to_text(StreamSchedule schedule) { return word_of(kStreamSchedules, schedule); }

StreamSchedule parse_stream_schedule(std::string_view text) {
  return value_of(kStreamSchedules, "schedule", text);
}

template <>
const ConfigKeys<StreamConfig>& config_keys() {
  static const ConfigKeys<StreamConfig> keys = stream_config_keys();
  return keys;
}

std::string to_text(const StreamConfig& config) { return canonical_text(config); }

StreamConfig fixed_by_schedule(StreamSchedule schedule) {
  StreamConfig config{};
  config.schedule = schedule;
  config.stages = 1;
  config.vector_bytes = kChunkBytes;
  return config;
}

StreamConfig parse_stream_config(std::string_view text) {
  return parse_canonical(text, fixed_by_schedule(parse_stream_schedule(name_in(text))));
}

template std::vector<KeyValue> key_values(const StreamConfig&);
template std::string canonical_text(const StreamConfig&);
template StreamConfig parse_canonical(std::string_view, const StreamConfig&);
template std::string short_word(const ShortWord&, const StreamConfig&);
template bool read_short_word(const ShortWord&, std::string_view, StreamConfig&);

}  // namespace tilecast
