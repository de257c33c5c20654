#include "model/rank/time_split.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tilecast {
namespace {

using Interval = std::pair<Picoseconds, Picoseconds>;

Picoseconds covered(std::vector<Interval>& intervals) {
  std::ranges::sort(intervals);
  Picoseconds sum;
  Picoseconds until;
  for (const auto& [from, to] : intervals) {
    if (to > until) {
      sum += to - std::max(from, until);
      until = to;
    }
  }
  return sum;
}

Picoseconds covered_within(std::vector<Interval> intervals, Interval window) {
  std::erase_if(intervals, [&](Interval& interval) {
    interval = {std::max(interval.first, window.first), std::min(interval.second, window.second)};
    return interval.first >= interval.second;
  });
  return covered(intervals);
}

}  // namespace

TimeSplit time_split(const std::vector<TileSpan>& tiles, i32 sms, Picoseconds kernel,
                     LeftOut left_out) {
  std::map<i32, std::vector<Interval>> by_sm;
  for (const TileSpan& tile : tiles) {
    if (tile.role == TileRole::kMultiplies) {
      by_sm[tile.sm].push_back({tile.first_operands, tile.multiplied});
    }
  }
  Picoseconds start, multiply, between, end;
  const Interval steady{left_out.steady_begin, left_out.steady_end};
  for (auto& [sm, intervals] : by_sm) {
    const Picoseconds busy = covered(intervals);
    const Picoseconds first = intervals.front().first;
    const Picoseconds last = std::ranges::max(intervals, {}, &Interval::second).second;
    start += first;
    multiply += busy;
    between += last - first - busy;
    end += kernel - last;
    if (left_out.time > Picoseconds{}) {
      const double steady_busy = static_cast<double>(covered_within(intervals, steady).ps) /
                                 static_cast<double>((steady.second - steady.first).ps);
      const Picoseconds more{std::llround(static_cast<double>(left_out.time.ps) * steady_busy)};
      multiply += more;
      between += left_out.time - more;
    }
  }
  end += (kernel + left_out.time) * (sms - static_cast<i64>(by_sm.size()));
  const double all = static_cast<double>((kernel + left_out.time).ps) * sms;
  const auto share = [all](Picoseconds time) { return static_cast<double>(time.ps) / all; };
  return {share(start), share(multiply), share(between), share(end)};
}

}  // namespace tilecast
