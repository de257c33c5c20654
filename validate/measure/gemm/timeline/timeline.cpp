#include "validate/measure/gemm/timeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "model/base/error.h"
#include "model/base/quantile.h"
#include "validate/measure/gemm/timeline/tile_trace.h"
#include "validate/measure/timing/sm_clocks.h"

namespace tilecast {
namespace {

constexpr u32 kUnwritten = ~u32{0};

/// Signed distance between low halves of two stamps, which must be within half of their range of
/// each other: a second at any clock.
i64 distance(u32 from, u32 to) { return static_cast<i32>(to - from); }

/// Converts the stamps of all SMs to seconds since the kernel's first instruction.
class KernelClock {
 public:
  explicit KernelClock(const TimelineStamps& stamps)
      : bases_(bases_of(stamps)), clocks_(readings_of(stamps, bases_)) {
    std::vector<Seconds> entries;
    for (const TimelineCta& cta : stamps.ctas) {
      entries.push_back(clocks_.time(cta.smid, distance(bases_.at(cta.smid), cta.entry)));
    }
    start_ = *std::min_element(entries.begin(), entries.end());
  }

  const SmClocks& clocks() const { return clocks_; }

  /// Converts a stamp to cycles of the mean clock.
  i64 cycles(u32 smid, u32 stamp) const {
    const Seconds time = clocks_.time(smid, distance(bases_.at(smid), stamp)) - start_;
    return std::llround(cycles_of(time, clocks_.mean()).value);
  }

 private:
  using Bases = std::map<u32, u32>;  // base of each SM: the entry of its first CTA

  static Bases bases_of(const TimelineStamps& stamps) {
    Bases bases;
    for (const TimelineCta& cta : stamps.ctas) {
      if (cta.smid == kUnwritten) {
        throw Error(ExitCode::kWrong, "a CTA of the instrumented kernel recorded no timestamps");
      }
      bases.try_emplace(cta.smid, cta.entry);
    }
    return bases;
  }

  static std::vector<SmReading> readings_of(const TimelineStamps& stamps, const Bases& bases) {
    std::vector<SmReading> readings;
    const std::size_t of_cta =
        (stamps.tiles_per_cta + std::size_t{1}) * static_cast<std::size_t>(stamps.roles());
    std::optional<u32> first_ns;
    for (std::size_t i = 0; i < stamps.readings.size(); ++i) {
      const auto [cycles, ns] = stamps.readings[i];
      if (cycles == kUnwritten && ns == kUnwritten) {
        continue;
      }
      first_ns = first_ns.value_or(ns);
      const u32 smid = stamps.ctas.at(i / of_cta).smid;
      readings.push_back({smid, distance(bases.at(smid), cycles), distance(*first_ns, ns)});
    }
    return readings;
  }

  Bases bases_;
  SmClocks clocks_;
  Seconds start_{};
};

/// Gives each CTA a slot among those that are resident on its SM at the same time: the first that
/// is free.
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
  std::map<i32, std::vector<i64>> free_from;  // for each SM, when each slot becomes free
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
  return fmt::format("CTA {} {} {} tile ({}, {}) K blocks {} to {}", record.cta,
                     record.role == TileRole::kLoads ? "producer" : "warpgroup", record.warpgroup,
                     record.tile_m, record.tile_n, record.k_begin, record.k_end);
}

bool in_order(const TileRecord& record) {
  const i64 waited = record.reduction ? record.reduction->waited : record.multiplied;
  const i64 reduced = record.reduction ? record.reduction->reduced : waited;
  return 0 <= record.begin && record.begin <= record.first_operands &&
         record.first_operands <= record.multiplied && record.multiplied <= waited &&
         waited <= reduced && reduced <= record.stored;
}

/// Returns the pieces that one role of one CTA must have worked on, in order.
std::vector<WalkedPiece> pieces_of_role(std::span<const WalkedPiece> cta_tiles, Schedule schedule,
                                        TileRole role, i32 warpgroup) {
  std::vector<WalkedPiece> tiles;
  const i32 turns = role == TileRole::kLoads ? 1 : traits_of(schedule).tiles_at_once;
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
  const KernelClock clock(stamps);
  Timeline timeline{.records = {},
                    .sm_clock = clock.clocks().mean(),
                    .slowest_sm = clock.clocks().slowest(),
                    .fastest_sm = clock.clocks().fastest(),
                    .clock_error = clock.clocks().error()};
  const std::size_t roles = static_cast<std::size_t>(stamps.roles());
  for (std::size_t i = 0; i < stamps.ctas.size(); ++i) {
    const TimelineCta& cta = stamps.ctas[i];
    const auto cycles = [&](u32 stamp) { return clock.cycles(cta.smid, stamp); };
    timeline.entries.push_back(cycles(cta.entry));
    for (std::size_t role = 0; role < roles; ++role) {
      const bool loads = static_cast<i32>(role) == stamps.warpgroups;
      for (std::size_t j = 0; j < stamps.tiles_per_cta; ++j) {
        const TileStamps& tile = stamps.tiles[(i * stamps.tiles_per_cta + j) * roles + role];
        if (tile.tile_m == kUnwritten) {
          continue;
        }
        TileRecord record{.sm = static_cast<i32>(cta.smid),
                          .cta = static_cast<i32>(i),
                          .place = 0,
                          .warpgroup = static_cast<i32>(role),
                          .role = loads ? TileRole::kLoads : TileRole::kMultiplies,
                          .tile_m = tile.tile_m,
                          .tile_n = tile.tile_n,
                          .k_begin = tile.k_begin,
                          .k_end = tile.k_end,
                          .begin = cycles(tile.begin),
                          .first_operands = cycles(tile.first_operands),
                          .multiplied = cycles(loads ? tile.stored : tile.multiplied),
                          .stored = cycles(tile.stored),
                          .sm_cycles = distance(tile.begin, tile.stored)};
        if (!loads && tile.k_end - tile.k_begin < stamps.k_blocks) {
          const u32 reduced = tile.reduced == kUnwritten ? tile.stored : tile.reduced;
          record.reduction = {.waited = cycles(tile.waited), .reduced = cycles(reduced)};
        }
        timeline.records.push_back(record);
      }
    }
  }
  give_places(timeline);
  return timeline;
}

std::string timeline_fault(const Timeline& timeline, const KernelConfig& config,
                           std::span<const WalkedPiece> expected, u32 stride, Seconds duration) {
  using Key = std::tuple<i32, TileRole, i32>;  // CTA, role
  std::map<Key, std::vector<const TileRecord*>> roles;
  const Seconds longest = duration + 2 * timeline.clock_error;
  const double last = cycles_of(longest, timeline.sm_clock).value;
  for (const TileRecord& record : timeline.records) {
    if (!in_order(record)) {
      return described(record) + ": its times are not in order";
    }
    if (static_cast<double>(record.stored) > last + 0.5) {  // records are integer cycles
      return fmt::format("{} ends {} cycles after the start of a kernel of at most {:.0f}",
                         described(record), record.stored, last);
    }
    roles[{record.cta, record.role, record.warpgroup}].push_back(&record);
  }
  std::size_t covered = 0;
  for (const auto& [key, records] : roles) {
    const auto [cta, role, warpgroup] = key;
    const std::vector<WalkedPiece> pieces =
        pieces_of_role(expected.subspan(static_cast<std::size_t>(cta) * stride, stride),
                       config.schedule, role, warpgroup);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const TileRecord& record = *records[i];
      if (i >= pieces.size() ||
          !(pieces[i] == WalkedPiece{record.tile_m, record.tile_n, record.k_begin, record.k_end})) {
        return described(record) + ": differs from the scheduler's tile";
      }
      if (i > 0 && record.begin < records[i - 1]->stored) {
        return described(record) + ": begins before the previous one ends";
      }
    }
    if (records.size() != pieces.size()) {
      return described(*records.back()) +
             ": the last tile of the role, but not the scheduler's last";
    }
    covered += records.size();
  }
  const std::size_t roles_of_tile = static_cast<std::size_t>(
      warpgroups_per_tile(config.tiling) + (has_producer_warpgroup(config.schedule) ? 1 : 0));
  const std::size_t pieces = static_cast<std::size_t>(
      std::count_if(expected.begin(), expected.end(),
                    [](const WalkedPiece& piece) { return !(piece == kNoTile); }));
  return covered == pieces * roles_of_tile
             ? ""
             : fmt::format("{} records of {} tiles with {} roles each", covered, pieces,
                           roles_of_tile);
}

TimelineSummary summary_of(const Timeline& timeline) {
  std::vector<i64> tile, load, multiply, store, wait, reduce;
  std::map<std::pair<i32, i32>, i64> first_begin;  // by SM and slot
  std::map<i32, i64> sm_end;
  for (const TileRecord& record : timeline.records) {
    if (record.role != TileRole::kMultiplies) {
      continue;
    }
    tile.push_back(record.stored - record.begin);
    load.push_back(record.first_operands - record.begin);
    multiply.push_back(record.multiplied - record.first_operands);
    if (record.reduction) {
      wait.push_back(record.reduction->waited - record.multiplied);
      reduce.push_back(record.reduction->reduced - record.reduction->waited);
    }
    const i64 summed = record.reduction ? record.reduction->reduced : record.multiplied;
    if (summed < record.stored) {
      store.push_back(record.stored - summed);
    }
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
  std::optional<TimelineSummary::Reduction> reduction;
  if (!wait.empty()) {
    reduction = {.wait = median(wait), .reduce = median(reduce)};
  }
  return {.tile = median(tile),
          .load = median(load),
          .multiply = median(multiply),
          .store = store.empty() ? Cycles{0} : median(store),
          .reduction = reduction,
          .first_begin = median(begins),
          .first_spread = cycles(*most - *least),
          .first_end = cycles(*first_end),
          .end = cycles(*last_end)};
}

}  // namespace tilecast
