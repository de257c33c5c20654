#include "validate/record/tile_timeline.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>

#include "model/base/error.h"
#include "model/base/text.h"
#include "validate/record/csv_text.h"

namespace tilecast {
namespace {

constexpr std::string_view kTimelineHeader =
    "sm,cta,place,role,tile_m,tile_n,k_begin,k_end,begin,first_data,main_loop_end,wait_end,"
    "reduction_end,end,sm_cycles\n";
constexpr const char* kTimelineColumns[] = {
    "sm",       "cta",   "place",      "role",          "tile_m",   "tile_n",        "k_begin",
    "k_end",    "begin", "first_data", "main_loop_end", "wait_end", "reduction_end", "end",
    "sm_cycles"};
constexpr std::size_t kRoleColumn = 3;
constexpr std::string_view kProducer = "producer", kWarpgroup = "warpgroup";

class RowReader {
 public:
  RowReader(const CsvRecord& row, std::string_view name) : row_(row), name_(name) {
    if (row.fields.size() != std::size(kTimelineColumns)) {
      throw ConfigError(fmt::format("{}:{}: {} fields: expected {}", name, row.line,
                                    row.fields.size(), std::size(kTimelineColumns)));
    }
  }

  template <class Int>
  Int whole(std::size_t column) const {
    const std::optional<i64> value = parse_integer(row_.fields[column]);
    if (!value || *value < 0 || *value > static_cast<i64>(std::numeric_limits<Int>::max() / 2)) {
      refuse(column, "a whole number, 0 or more");
    }
    return static_cast<Int>(*value);
  }

  void role(TileRecord& record) const {
    std::string_view text = row_.fields[kRoleColumn];
    const bool loads = text.starts_with(kProducer);
    record.role = loads ? TileRole::kLoads : TileRole::kMultiplies;
    const std::string_view word = loads ? kProducer : kWarpgroup;
    const std::optional<i64> index =
        text.starts_with(word) ? parse_integer(text.substr(word.size())) : std::optional<i64>();
    if (!index || *index < 0 || *index > 7) {
      refuse(kRoleColumn, "producer or warpgroup and a number to 7");
    }
    record.warpgroup = static_cast<i32>(*index);
  }

  [[noreturn]] void refuse(std::size_t column, std::string_view expected) const {
    throw ConfigError(fmt::format("{}:{}: {}: '{}': expected {}", name_, row_.line,
                                  kTimelineColumns[column], row_.fields[column], expected));
  }

 private:
  const CsvRecord& row_;
  std::string_view name_;
};

TileRecord record_of(const CsvRecord& row, std::string_view name) {
  const RowReader read(row, name);
  TileRecord record{};
  record.sm = read.whole<i32>(0);
  record.cta = read.whole<i32>(1);
  record.place = read.whole<i32>(2);
  read.role(record);
  record.tile_m = read.whole<u32>(4);
  record.tile_n = read.whole<u32>(5);
  record.k_begin = read.whole<i32>(6);
  record.k_end = read.whole<i32>(7);
  record.begin = read.whole<i64>(8);
  record.first_operands = read.whole<i64>(9);
  record.stored = read.whole<i64>(13);
  record.multiplied = record.role == TileRole::kLoads ? record.stored : read.whole<i64>(10);
  if (!row.fields[11].empty() || !row.fields[12].empty()) {
    record.reduction = {.waited = read.whole<i64>(11), .reduced = read.whole<i64>(12)};
  }
  record.sm_cycles = read.whole<i64>(14);
  return record;
}

}  // namespace

std::string tile_timeline_csv(std::span<const TileRecord> records) {
  std::string csv(kTimelineHeader);
  for (const TileRecord& record : records) {
    const bool loads = record.role == TileRole::kLoads;
    fmt::format_to(
        std::back_inserter(csv), "{},{},{},{}{},{},{},{},{},{},{},{},{},{},{}\n", record.sm,
        record.cta, record.place, loads ? kProducer : kWarpgroup, record.warpgroup, record.tile_m,
        record.tile_n, record.k_begin, record.k_end, record.begin, record.first_operands,
        loads ? "" : fmt::format("{}", record.multiplied),
        record.reduction ? fmt::format("{},{}", record.reduction->waited, record.reduction->reduced)
                         : ",",
        record.stored, record.sm_cycles);
  }
  return csv;
}

std::vector<TileRecord> parse_tile_timeline(std::string_view text, std::string_view name) {
  if (!text.starts_with(kTimelineHeader)) {
    throw ConfigError(fmt::format("{}:1: expected {}", name,
                                  kTimelineHeader.substr(0, kTimelineHeader.size() - 1)));
  }
  const CsvText csv = parse_csv(text, name);
  if (csv.truncated) {
    throw ConfigError(fmt::format("{}:{}: the file ends inside a row", name, csv.truncated_line));
  }
  std::vector<TileRecord> records;
  for (const CsvRecord& row : std::span(csv.records).subspan(1)) {
    records.push_back(record_of(row, name));
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
