#include "validate/measure/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "model/base/error.h"
#include "model/base/quantile.h"
#include "validate/measure/tile_trace.h"

namespace tilecast {
namespace {

constexpr double kNanosecond = 1e-9;
constexpr u64 kUnwritten = ~u64{0};

/// The full clock64 of a stamp: the one nearest to `near` with these low bits.
u64 widened(u32 low, u64 near) {
  return near + static_cast<u64>(static_cast<i64>(static_cast<i32>(low - static_cast<u32>(near))));
}

/// One SM's readings, relative to its first.
struct SmReadings {
  u64 first_cycles, first_ns;
  std::vector<std::pair<double, double>> readings;  // cycles, nanoseconds
  double last_cycles = 0, last_ns = 0;              // between the first and the last
};

class ClockMap {
 public:
  explicit ClockMap(const std::vector<CtaStamps>& ctas) {
    for (const CtaStamps& cta : ctas) {
      if (cta.early_ns == kUnwritten || cta.late_ns == kUnwritten) {
        throw Error(ExitCode::kWrong, "a CTA of the instrumented kernel wrote nothing down");
      }
      first_ns_ = std::min(first_ns_, cta.early_ns);
    }
    for (const CtaStamps& cta : ctas) {
      add(cta.smid, cta.early_cycles, cta.early_ns);
      add(cta.smid, cta.late_cycles, cta.late_ns);
    }
    double cycles = 0, ns = 0;
    for (const auto& [smid, sm] : sms_) {
      cycles += sm.last_cycles;
      ns += sm.last_ns;
    }
    if (cycles <= 0 || ns <= 0) {
      throw Error(ExitCode::kWrong, "the kernel is shorter than the steps of the wall clock");
    }
    per_ns_ = cycles / ns;
    for (const auto& [smid, sm] : sms_) {
      place(smid, sm);
    }
  }

  Hertz clock() const { return {per_ns_ / kNanosecond}; }
  Seconds error() const { return {error_ns_ * kNanosecond}; }

  /// Cycles since the first reading of all SMs, on a clock that all of them share.
  double shared(u32 smid, u64 cycles) const {
    const SmReadings& sm = sms_.at(smid);
    return static_cast<double>(static_cast<i64>(cycles - sm.first_cycles)) + offsets_.at(smid);
  }

 private:
  void add(u32 smid, u64 cycles, u64 ns) {
    SmReadings& sm = sms_.try_emplace(smid, SmReadings{cycles, ns, {}}).first->second;
    const double after = static_cast<double>(static_cast<i64>(cycles - sm.first_cycles));
    const double ns_after = static_cast<double>(static_cast<i64>(ns - first_ns_));
    sm.readings.emplace_back(after, ns_after);
    if (after > sm.last_cycles) {
      sm.last_cycles = after;
      sm.last_ns = static_cast<double>(static_cast<i64>(ns - sm.first_ns));
    }
  }

  void place(u32 smid, const SmReadings& sm) {
    double sum = 0;
    for (const auto& [cycles, ns] : sm.readings) {
      sum += ns * per_ns_ - cycles;
    }
    const double offset = sum / static_cast<double>(sm.readings.size());
    offsets_[smid] = offset;
    for (const auto& [cycles, ns] : sm.readings) {
      error_ns_ = std::max(error_ns_, std::abs((cycles + offset) / per_ns_ - ns));
    }
  }

  u64 first_ns_ = kUnwritten;
  std::map<u32, SmReadings> sms_;
  std::map<u32, double> offsets_;
  double per_ns_ = 0, error_ns_ = 0;
};

/// Each CTA's place among those that live on its SM at the same time: the first that is free.
void give_places(Timeline& timeline) {
  struct Life {
    i32 sm;
    i64 begin, end;
    i32 cta;
  };
  std::map<i32, Life> lives;
  for (const TileRecord& record : timeline.records) {
    const i64 entry = timeline.entries[static_cast<std::size_t>(record.cta)];
    Life& life =
        lives.try_emplace(record.cta, Life{record.sm, entry, entry, record.cta}).first->second;
    life.end = std::max(life.end, record.stored);
  }
  std::vector<Life> order;
  for (const auto& [cta, life] : lives) {
    order.push_back(life);
  }
  std::sort(order.begin(), order.end(), [](const Life& a, const Life& b) {
    return std::tie(a.begin, a.cta) < std::tie(b.begin, b.cta);
  });
  std::map<i32, std::vector<i64>> free_from;  // of each SM's places
  std::map<i32, i32> place_of;
  for (const Life& life : order) {
    std::vector<i64>& places = free_from[life.sm];
    const auto free =
        std::find_if(places.begin(), places.end(), [&](i64 from) { return from <= life.begin; });
    place_of[life.cta] = static_cast<i32>(free - places.begin());
    if (free == places.end()) {
      places.push_back(life.end);
    } else {
      *free = life.end;
    }
  }
  for (TileRecord& record : timeline.records) {
    record.place = place_of.at(record.cta);
  }
}

std::string described(const TileRecord& record) {
  return fmt::format("CTA {} {} {} tile ({}, {})", record.cta,
                     record.role == TileRole::kLoads ? "producer" : "warpgroup", record.warpgroup,
                     record.tile_m, record.tile_n);
}

/// The tiles that one role of one CTA must have worked on, in order.
std::vector<TileCoord> tiles_of_role(std::span<const TileCoord> cta_tiles, Schedule schedule,
                                     TileRole role, i32 warpgroup) {
  std::vector<TileCoord> tiles;
  const i32 turns = role == TileRole::kLoads ? 1 : tiles_at_once(schedule);
  for (std::size_t i = 0; i < cta_tiles.size() && !(cta_tiles[i] == kNoTile); ++i) {
    if (static_cast<i32>(i) % turns == (turns == 1 ? 0 : warpgroup)) {
      tiles.push_back(cta_tiles[i]);
    }
  }
  return tiles;
}

Cycles median(std::vector<i64> values) {
  std::sort(values.begin(), values.end());
  std::vector<double> sorted(values.begin(), values.end());
  return {quantile_of_sorted(std::span<const double>(sorted), 0.5)};
}

}  // namespace

Timeline decode_timeline(const TimelineStamps& stamps) {
  const ClockMap map(stamps.ctas);
  const auto entry_of = [&](const CtaStamps& cta) {
    return map.shared(cta.smid, widened(cta.entry, cta.early_cycles));
  };
  double start = entry_of(stamps.ctas.front());
  for (const CtaStamps& cta : stamps.ctas) {
    start = std::min(start, entry_of(cta));
  }
  Timeline timeline{.records = {}, .sm_clock = map.clock(), .clock_error = map.error()};
  const std::size_t roles = static_cast<std::size_t>(stamps.roles());
  for (std::size_t i = 0; i < stamps.ctas.size(); ++i) {
    const CtaStamps& cta = stamps.ctas[i];
    timeline.entries.push_back(std::llround(entry_of(cta) - start));
    for (std::size_t role = 0; role < roles; ++role) {
      const bool loads = static_cast<i32>(role) == stamps.warpgroups;
      for (std::size_t j = 0; j < stamps.tiles_per_cta; ++j) {
        const TileStamps& tile = stamps.tiles[(i * stamps.tiles_per_cta + j) * roles + role];
        if (tile.tile_m == kNoTile.m) {
          continue;
        }
        const auto cycles = [&](u32 low) {
          return std::llround(map.shared(cta.smid, widened(low, cta.early_cycles)) - start);
        };
        timeline.records.push_back({.sm = static_cast<i32>(cta.smid),
                                    .cta = static_cast<i32>(i),
                                    .place = 0,
                                    .warpgroup = static_cast<i32>(role),
                                    .role = loads ? TileRole::kLoads : TileRole::kMultiplies,
                                    .tile_m = tile.tile_m,
                                    .tile_n = tile.tile_n,
                                    .begin = cycles(tile.begin),
                                    .first_operands = cycles(tile.first_operands),
                                    .multiplied = cycles(loads ? tile.stored : tile.multiplied),
                                    .stored = cycles(tile.stored)});
      }
    }
  }
  give_places(timeline);
  return timeline;
}

std::string timeline_fault(const Timeline& timeline, const KernelConfig& config,
                           std::span<const TileCoord> expected, u32 stride, Seconds duration) {
  using Key = std::tuple<i32, TileRole, i32>;  // CTA, role
  std::map<Key, std::vector<const TileRecord*>> roles;
  const double last = cycles_of(duration, timeline.sm_clock).value;
  for (const TileRecord& record : timeline.records) {
    if (record.begin < 0 || record.first_operands < record.begin ||
        record.multiplied < record.first_operands || record.stored < record.multiplied) {
      return described(record) + ": its times are not in order";
    }
    if (static_cast<double>(record.stored) > last + 0.5) {  // records are whole cycles
      return fmt::format("{} ends {} cycles after the start of a kernel of {:.0f}",
                         described(record), record.stored, last);
    }
    roles[{record.cta, record.role, record.warpgroup}].push_back(&record);
  }
  std::size_t covered = 0;
  for (const auto& [key, records] : roles) {
    const auto [cta, role, warpgroup] = key;
    const std::vector<TileCoord> tiles =
        tiles_of_role(expected.subspan(static_cast<std::size_t>(cta) * stride, stride),
                      config.schedule, role, warpgroup);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const TileRecord& record = *records[i];
      if (i >= tiles.size() || !(tiles[i] == TileCoord{record.tile_m, record.tile_n})) {
        return described(record) + ": not the tile of the scheduler";
      }
      if (i > 0 && record.begin < records[i - 1]->stored) {
        return described(record) + ": begins before the one before ends";
      }
    }
    if (records.size() != tiles.size()) {
      return described(*records.back()) + ": the last of the role, but not of the scheduler";
    }
    covered += records.size();
  }
  const std::size_t roles_of_tile = static_cast<std::size_t>(
      warpgroups_per_tile(config.tiling) + (has_producer_warpgroup(config.schedule) ? 1 : 0));
  const std::size_t tiles = static_cast<std::size_t>(std::count_if(
      expected.begin(), expected.end(), [](const TileCoord& tile) { return !(tile == kNoTile); }));
  return covered == tiles * roles_of_tile ? ""
                                          : fmt::format("{} records of {} tiles with {} roles each",
                                                        covered, tiles, roles_of_tile);
}

TimelineSummary summary_of(const Timeline& timeline) {
  std::vector<i64> tile, load, multiply, store;
  std::map<std::pair<i32, i32>, i64> first_begin;  // of a CTA's place on its SM
  std::map<i32, i64> sm_end;
  for (const TileRecord& record : timeline.records) {
    if (record.role != TileRole::kMultiplies) {
      continue;
    }
    tile.push_back(record.stored - record.begin);
    load.push_back(record.first_operands - record.begin);
    multiply.push_back(record.multiplied - record.first_operands);
    store.push_back(record.stored - record.multiplied);
    i64& first = first_begin.try_emplace({record.sm, record.place}, record.begin).first->second;
    first = std::min(first, record.begin);
    i64& end = sm_end.try_emplace(record.sm, 0).first->second;
    end = std::max(end, record.stored);
  }
  TILECAST_ASSERT(!tile.empty());
  std::vector<i64> begins, ends;
  for (const auto& [place, begin] : first_begin) {
    begins.push_back(begin);
  }
  for (const auto& [sm, end] : sm_end) {
    ends.push_back(end);
  }
  const auto [least, most] = std::minmax_element(begins.begin(), begins.end());
  const auto [first_end, last_end] = std::minmax_element(ends.begin(), ends.end());
  const auto cycles = [](i64 value) { return Cycles{static_cast<double>(value)}; };
  return {.tile = median(tile),
          .load = median(load),
          .multiply = median(multiply),
          .store = median(store),
          .first_begin = median(begins),
          .first_spread = cycles(*most - *least),
          .first_end = cycles(*first_end),
          .end = cycles(*last_end)};
}

}  // namespace tilecast
