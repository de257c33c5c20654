#include "model/tile/kernel_config_text.h"

#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/base/words.h"

namespace tilecast {
namespace {

constexpr Words<Schedule, 3> kSchedules{{{Schedule::kPipelined, "pipelined"},
                                         {Schedule::kPersistent, "persistent"},
                                         {Schedule::kWarpSpecialized, "warp_specialized"}}};
constexpr Words<RasterKind, 3> kRasters{{{RasterKind::kGroupedM, "grouped_m"},
                                         {RasterKind::kGroupedN, "grouped_n"},
                                         {RasterKind::kChunked, "chunked"}}};
constexpr Words<ElementType, 3> kTypes{
    {{ElementType::kFp16, "fp16"}, {ElementType::kBf16, "bf16"}, {ElementType::kFp32, "fp32"}}};
constexpr Words<Layout, 2> kLayouts{{{Layout::kTn, "tn"}, {Layout::kNn, "nn"}}};

/// "128x256x64" as exactly `count` positive numbers that fit in 31 bits.
std::optional<std::vector<i64>> parse_extents(std::string_view text, std::size_t count) {
  std::vector<i64> extents;
  for (const std::string_view part : split(text, 'x')) {
    const std::optional<i64> value = parse_integer(part);
    if (!value || *value < 1 || *value > std::numeric_limits<i32>::max()) {
      return std::nullopt;
    }
    extents.push_back(*value);
  }
  return extents.size() == count ? std::optional(extents) : std::nullopt;
}

/// Takes `key=value` pairs in their fixed order; every complaint names the whole text.
class KeyReader {
 public:
  explicit KeyReader(std::string_view text) : text_(text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
      fail("expected schedule:key=value,...");
    }
    schedule_ = text.substr(0, colon);
    pairs_ = split(text.substr(colon + 1), ',');
  }

  std::string_view schedule() const { return schedule_; }

  std::string_view value(std::string_view key) {
    if (next_ == pairs_.size()) {
      fail(fmt::format("expected {}=... at the end", key));
    }
    const std::string_view pair = pairs_[next_++];
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) != key || equals == std::string_view::npos) {
      fail(fmt::format("expected {}=... where '{}' stands", key, pair));
    }
    return pair.substr(equals + 1);
  }

  std::vector<i32> extents(std::string_view key, std::size_t count, std::string_view form) {
    const std::string_view text = value(key);
    const std::optional<std::vector<i64>> extents = parse_extents(text, count);
    if (!extents) {
      fail(fmt::format("{}={}: expected {}", key, text, form));
    }
    return {extents->begin(), extents->end()};
  }

  i32 number(std::string_view key, i32 least) {
    const std::string_view text = value(key);
    const std::optional<i64> number = parse_integer(text);
    constexpr i32 kMost = 1 << 20;
    if (!number || *number < least || *number > kMost) {
      fail(fmt::format("{}={}: expected a whole number from {} to {}", key, text, least, kMost));
    }
    return static_cast<i32>(*number);
  }

  void done() const {
    if (next_ != pairs_.size()) {
      fail(fmt::format("unexpected '{}' at the end", pairs_[next_]));
    }
  }

  [[noreturn]] void fail(std::string_view why) const {
    throw ConfigError(fmt::format("configuration '{}': {}", text_, why));
  }

 private:
  std::string_view text_, schedule_;
  std::vector<std::string_view> pairs_;
  std::size_t next_ = 0;
};

}  // namespace

std::string_view to_text(Schedule schedule) { return word_of(kSchedules, schedule); }
std::string_view to_text(RasterKind kind) { return word_of(kRasters, kind); }
std::string_view to_text(ElementType type) { return word_of(kTypes, type); }
std::string_view to_text(Layout layout) { return word_of(kLayouts, layout); }

std::string to_text(const GemmShape& shape) {
  return fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
}

std::string to_text(const KernelConfig& config) {
  const Tiling& t = config.tiling;
  return fmt::format(
      "{}:tile={}x{}x{},stages={},warpgroups={},cluster={}x{},ctas={},inflight={},raster={},"
      "group={}",
      to_text(config.schedule), t.block_m, t.block_n, t.block_k, t.stages, t.warpgroups,
      t.cluster_m, t.cluster_n, config.ctas_per_sm, config.inflight, to_text(config.raster.kind),
      config.raster.group);
}

Schedule parse_schedule(std::string_view text) { return value_of(kSchedules, "schedule", text); }
ElementType parse_element_type(std::string_view text) { return value_of(kTypes, "dtype", text); }
Layout parse_layout(std::string_view text) { return value_of(kLayouts, "layout", text); }

GemmShape parse_gemm_shape(std::string_view text) {
  const std::optional<std::vector<i64>> sides = parse_extents(text, 3);
  if (!sides) {
    throw ConfigError(
        fmt::format("shape '{}': expected MxNxK, three whole numbers from 1 to 2147483647, such as "
                    "4096x4096x4096",
                    text));
  }
  return {(*sides)[0], (*sides)[1], (*sides)[2]};
}

KernelConfig parse_kernel_config(std::string_view text) {
  KeyReader reader(text);
  KernelConfig config{};
  config.schedule = parse_schedule(reader.schedule());
  const std::vector<i32> tile = reader.extents("tile", 3, "MxNxK");
  Tiling& t = config.tiling;
  t.block_m = tile[0];
  t.block_n = tile[1];
  t.block_k = tile[2];
  t.stages = reader.number("stages", 1);
  t.warpgroups = reader.number("warpgroups", 1);
  const std::vector<i32> cluster = reader.extents("cluster", 2, "MxN");
  t.cluster_m = cluster[0];
  t.cluster_n = cluster[1];
  config.ctas_per_sm = reader.number("ctas", 1);
  config.inflight = reader.number("inflight", 0);
  config.raster.kind = value_of(kRasters, "raster", reader.value("raster"));
  config.raster.group = reader.number("group", 1);
  if (config.raster.kind == RasterKind::kChunked && config.raster.group != 1) {
    reader.fail("raster=chunked has no groups: expected group=1");
  }
  reader.done();
  if (const std::string canonical = to_text(config); canonical != text) {  // 04 for 4, -0 for 0
    reader.fail("expected the canonical text " + canonical);
  }
  return config;
}

}  // namespace tilecast
