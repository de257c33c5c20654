#include "validate/record/tile_timeline.h"

#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "model/base/refuse.h"
#include "model/base/text.h"
#include "validate/record/csv_text.h"

namespace tilecast {
namespace {

constexpr std::string_view kTimelineHeader =
    "sm,cta,place,role,tile_m,tile_n,k_begin,k_end,begin,first_data,main_loop_end,wait_end,"
    "reduction_end,end,sm_cycles\n";
constexpr std::string_view kProducer = "producer", kWarpgroup = "warpgroup";

template <class Int>
Int whole_number(std::string_view text) {
  const std::optional<i64> value = parse_integer(text);
  refuse_if(!value || *value < 0 || *value > static_cast<i64>(std::numeric_limits<Int>::max() / 2),
            "expected an integer, 0 or more, got '{}'", text);
  return static_cast<Int>(*value);
}

std::pair<TileRole, i32> role_of(std::string_view text) {
  const bool loads = text.starts_with(kProducer);
  const std::string_view word = loads ? kProducer : kWarpgroup;
  const std::optional<i64> index =
      text.starts_with(word) ? parse_integer(text.substr(word.size())) : std::optional<i64>();
  refuse_if(!index || *index < 0 || *index > 7,
            "expected producer or warpgroup followed by a number from 0 to 7, got '{}'", text);
  return {loads ? TileRole::kLoads : TileRole::kMultiplies, static_cast<i32>(*index)};
}

TileRecord record_of(const CsvRow& row) {
  const auto cycles = [&](std::string_view column) { return row.get(column, whole_number<i64>); };
  TileRecord record{};
  record.sm = row.get("sm", whole_number<i32>);
  record.cta = row.get("cta", whole_number<i32>);
  record.place = row.get("place", whole_number<i32>);
  std::tie(record.role, record.warpgroup) = row.get("role", role_of);
  record.tile_m = row.get("tile_m", whole_number<u32>);
  record.tile_n = row.get("tile_n", whole_number<u32>);
  record.k_begin = row.get("k_begin", whole_number<i32>);
  record.k_end = row.get("k_end", whole_number<i32>);
  record.begin = cycles("begin");
  record.first_operands = cycles("first_data");
  record.stored = cycles("end");
  record.multiplied = record.role == TileRole::kLoads ? record.stored : cycles("main_loop_end");
  if (!row.text("wait_end").empty() || !row.text("reduction_end").empty()) {
    record.reduction = {.waited = cycles("wait_end"), .reduced = cycles("reduction_end")};
  }
  record.sm_cycles = cycles("sm_cycles");
  return record;
}

}  // namespace

std::vector<TileRecord> parse_tile_timeline(std::string_view text, std::string_view name) {
  refuse_if(!text.starts_with(kTimelineHeader), "{}:1: expected {}", name,
            kTimelineHeader.substr(0, kTimelineHeader.size() - 1));
  std::vector<TileRecord> records;
  for (const CsvRow& row : csv_rows(text, name)) {
    records.push_back(record_of(row));
  }
  return records;
}

std::vector<TileSpan> tile_spans(std::span<const TileRecord> records, Hertz sm_clock) {
  constexpr double kPicosecondsPerSecond = 1e12;
  const auto time = [&](i64 cycles) {
    const Seconds seconds = time_of({static_cast<double>(cycles)}, sm_clock);
    return Picoseconds{std::llround(seconds.value * kPicosecondsPerSecond)};
  };
  std::vector<TileSpan> spans;
  for (const TileRecord& record : records) {
    std::optional<TileSpan::Reduction> reduction;
    if (record.reduction) {
      reduction = {time(record.reduction->waited), time(record.reduction->reduced)};
    }
    spans.push_back({.sm = record.sm,
                     .cta = record.place,
                     .warpgroup = record.warpgroup,
                     .tile_m = record.tile_m,
                     .tile_n = record.tile_n,
                     .begin = time(record.begin),
                     .first_operands = time(record.first_operands),
                     .multiplied = time(record.multiplied),
                     .stored = time(record.stored),
                     .role = record.role,
                     .k_begin = record.k_begin,
                     .k_end = record.k_end,
                     .reduction = reduction});
  }
  return spans;
}

}  // namespace tilecast
