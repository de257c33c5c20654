#include "model/stream/stream_config_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/base/words.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/op/config_key.h"

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

constexpr i32 kMostWarps = 32;
constexpr i32 kSharedMemoryPerCta = 232448;  // of Hopper, the only GPU with such kernels
constexpr i32 kBoxAlignment = 128;           // of a box in shared memory
constexpr i32 kSwizzleAtom = 1024;           // bytes that the copy engine's swizzle repeats after
constexpr i32 kMostVectorsPerThread = 64;    // unrolled

bool is_power_of_two(i32 value) { return (value & (value - 1)) == 0; }

/// Of a ring of stages that tensor maps fill.
std::string box_fault(const StreamConfig& config, ElementType dtype) {
  const i32 element = element_bytes(dtype);
  if (config.stages < 2) {
    return "the copy engine's ring needs two stages: C leaves from where A came in";
  }
  if (config.block_rows > kMostBoxElements) {
    return "at most 256 rows in a bulk copy";
  }
  const i32 box_bytes = config.block_rows * box_columns(config, dtype) * element;
  const bool swizzled = config.layout == StreamLayout::kSwizzled;
  if (box_bytes % (swizzled ? kSwizzleAtom : kBoxAlignment) != 0 ||
      (swizzled && config.block_columns * element < kSwizzledRowBytes)) {
    return "boxes must be whole 128-byte lines, and whole kilobytes where they are swizzled";
  }
  return "";
}

/// Of plain loads and cp.async.
std::string copy_fault(const StreamConfig& config, ElementType dtype) {
  if (!plain_loads(config.schedule) && config.vector_bytes < 4) {
    return "cp.async copies at least 4 bytes";
  }
  if (config.stages > kMostStages) {
    return fmt::format("at most {} buffers", kMostStages);
  }
  if (config.layout == StreamLayout::kSwizzled &&
      config.block_columns * element_bytes(dtype) < kChunkBytes) {
    return "a swizzled row has at least 16 bytes";
  }
  return "";
}

}  // namespace

std::string_view to_text(StreamSchedule schedule) { return word_of(kStreamSchedules, schedule); }

StreamSchedule parse_stream_schedule(std::string_view text) {
  return value_of(kStreamSchedules, "schedule", text);
}

bool is_stream_schedule(std::string_view text) {
  return std::ranges::any_of(kStreamSchedules,
                             [text](const auto& row) { return row.second == text; });
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

std::string stream_config_fault(const StreamConfig& config, ElementType dtype) {
  const i32 element = element_bytes(dtype);
  const i64 wide_bytes = i64{config.block_rows} * config.block_columns * element;
  const i64 thread_bytes = i64{config.warps} * kWarpThreads * config.vector_bytes;
  if (config.warps > kMostWarps - 2 || config.ctas_per_sm > kMostWarps) {
    return "at most 30 computing warps, and 32 CTAs per SM";
  }
  if (wide_bytes > kSharedMemoryPerCta || config.stages > kMostRingStages ||
      stream_shared_bytes(config, dtype) > kSharedMemoryPerCta) {
    return fmt::format("the buffers do not fit in {} bytes of shared memory", kSharedMemoryPerCta);
  }
  if (is_memcpy(config.schedule) &&
      (config.block_rows != 1 || config.order == BlockOrder::kBands)) {
    return "a vector has one row, which would be one CTA's band";
  }
  if (config.order == BlockOrder::kTickets && !copies_runs(config.schedule)) {
    return "only memcpy_tma draws tickets";
  }
  if (config.order == BlockOrder::kBounded &&
      bounded_shared_bytes(config) < stream_shared_bytes(config, dtype)) {
    return "fewer CTAs fit on an SM than order=bounded is to keep there";
  }
  if (copies_runs(config.schedule)) {
    return config.warps != 1                ? "one thread copies everything: expected warps=1"
           : wide_bytes % thread_bytes != 0 ? "a block must be whole vectors of every thread"
           : one_block_a_cta(config.order) && config.stages != 1
               ? "a CTA with one block has one stage"
               : "";
  }
  if (config.vector_bytes > kChunkBytes || !is_power_of_two(config.vector_bytes) ||
      config.vector_bytes < element) {
    return fmt::format("vector={}: expected a power of two from {} to 16", config.vector_bytes,
                       element);
  }
  if (!is_power_of_two(config.block_columns)) {
    return "the columns of a block must be a power of two";
  }
  if (config.block_columns * element % config.vector_bytes != 0 || wide_bytes % thread_bytes != 0) {
    return "a block must be whole vectors of every computing thread";
  }
  if (wide_bytes / thread_bytes > kMostVectorsPerThread) {
    return fmt::format("at most {} vectors per thread", kMostVectorsPerThread);
  }
  return uses_tensor_maps(config.schedule) ? box_fault(config, dtype) : copy_fault(config, dtype);
}

std::string stream_problem_fault(const StreamConfig& config, const StreamProblem& problem) {
  constexpr i64 kMostBlocks = i64{1} << 31;
  constexpr i64 kMostElements = i64{1} << 40;
  if (problem.rows < 1 || problem.columns < 1 || problem.rows >= kMostBlocks ||
      problem.columns > kMostElements / problem.rows) {
    return "the shape is empty, beyond 2^40 elements, or of 2^31 rows or more";
  }
  if (op_of(config.schedule) != problem.op) {
    return fmt::format("{} computes {}, not {}", to_text(config.schedule),
                       to_text(op_of(config.schedule)), to_text(problem.op));
  }
  if (problem.op == Op::kMemcpy && problem.rows != 1) {
    return "memcpy copies one row";
  }
  if (config.view == StreamView::kFlat &&
      problem.rows * problem.columns % config.block_columns != 0) {
    return fmt::format("view=flat: the elements are not whole rows of {}", config.block_columns);
  }
  const StreamProblem seen = viewed(config, problem);
  const i64 row_bytes = seen.columns * element_bytes(problem.dtype);
  if (seen.rows > 1 && row_bytes % config.vector_bytes != 0) {
    return fmt::format("rows of {} bytes are not whole vectors of {}", row_bytes,
                       config.vector_bytes);
  }
  if (uses_tensor_maps(config.schedule) && seen.columns >= kMostBlocks) {
    return "a tensor map's side is beyond 31 bits";
  }
  if (ceil_div<i64>(seen.rows, config.block_rows) *
          ceil_div<i64>(seen.columns, config.block_columns) >=
      kMostBlocks) {
    return "more than 2^31 blocks";
  }
  return "";
}

}  // namespace tilecast
