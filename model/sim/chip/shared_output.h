// Models how SMs share L2's output. SM pairs (TPCs) form groups (CPCs), a few per GPC. Active
// groups get equal parts of the rate, and active pairs get equal parts of their group's rate. With
// groups of unequal size, the SMs of small groups get more while L2 is busy: on the H200, 24 of 132
// SMs run at 1.3 times the rate of the others (l2.share_of_sm; docs/dev/notebook/constants.md, The
// machine).
//
// A request queues after earlier requests of its pair. Its service time is multiplied by the number
// of groups, and by the number of pairs in its group, that are waiting when it arrives. The total
// rate is kept within 0.3 % while requests keep coming; in bursts it is up to 1.4 % too high
// (simulate.cpp bounds kernels by L2's time).
//
// Not modelled: changes of the shares while a request is served, so a pair whose requests always
// arrive while all others wait gets up to 7 % less (docs/dev/known-gaps.md, S15); positions in a
// group, which differ by 2.5 %.
//
// Checked by: shared_output_test.cpp.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "model/base/sim_time.h"

namespace tilecast {

/// An SM's position on the path to L2.
struct SmPlace {
  u32 gpc = 0;
  u32 group = 0;  // index over all GPCs
  u32 pair = 0;   // index in the group
};

/// Position of an SM pair. Pairs are numbered round-robin over the GPCs and, within a GPC, over its
/// groups. With 0 groups, all pairs share one queue, in request order.
constexpr SmPlace place_of_pair(u32 pair, u32 gpcs, u32 groups_of_gpc) {
  if (groups_of_gpc == 0) {
    return {pair % gpcs, 0, 0};
  }
  const u32 gpc = pair % gpcs, in_gpc = pair / gpcs;
  return {gpc, gpc * groups_of_gpc + in_gpc % groups_of_gpc, in_gpc / groups_of_gpc};
}

/// A set of waiters. Each has the time until which it waits.
class Waiters {
 public:
  explicit Waiters(u32 count) : until_((count + kTogether - 1) / kTogether * kTogether) {}

  /// Returns the number of waiters at `now`; `one` always counts.
  i64 with(u32 one, SimTime now) {
    if (now >= first_end_ || now < counted_) {
      count(now);
    }
    return waiting_ + (until_[one] > now ? 0 : 1);
  }

  /// Extends the wait of `one`, which with() counted at `now`.
  void extend(u32 one, SimTime now, SimTime until) {
    waiting_ += static_cast<i64>(until_[one] <= now) & static_cast<i64>(until > now);
    until_[one] = later(until_[one], until);
    first_end_.ps = std::min(first_end_.ps, until.ps);
  }

 private:
  void count(SimTime now) {
    i64 waiting = 0;
    SimTime first_end = kNever;
    for (std::size_t part = 0; part < until_.size(); part += kTogether) {
      for (std::size_t i = part; i < part + kTogether; ++i) {
        const SimTime until = until_[i];
        waiting += until > now ? 1 : 0;
        first_end.ps = std::min(first_end.ps, until > now ? until.ps : kNever.ps);
      }
    }
    waiting_ = waiting;
    counted_ = now;
    first_end_ = first_end;
  }

  static constexpr std::size_t kTogether = 8;  // unrolled for SIMD
  static constexpr SimTime kNever{std::numeric_limits<i64>::max()};

  std::vector<SimTime> until_;
  // Number of waiters between `counted_` and at least `first_end_`.
  i64 waiting_ = 0;
  SimTime counted_, first_end_ = kNever;
};

class SharedOutput {
 public:
  SharedOutput(u32 groups, u32 pairs_of_group)
      : pairs_of_group_(pairs_of_group),
        groups_(groups),
        pairs_(std::size_t{groups} * pairs_of_group) {}

  /// Returns the time at which a request is served that would take `service` if L2 were idle.
  /// `asked` must not decrease.
  SimTime serve(SimTime asked, const SmPlace& place, SimTime service) {
    SimTime* const pairs = &pairs_[std::size_t{place.group} * pairs_of_group_];
    i64 of_group = 0;
    for (u32 pair = 0; pair < pairs_of_group_; ++pair) {
      of_group += static_cast<i64>(pair == place.pair) | static_cast<i64>(pairs[pair] > asked);
    }
    SimTime& free = pairs[place.pair];
    free = later(asked, free) + service * (groups_.with(place.group, asked) * of_group);
    groups_.extend(place.group, asked, free);
    busy_ += service;
    return free;
  }

  /// Service time of L2 so far.
  SimTime busy() const { return busy_; }

 private:
  u32 pairs_of_group_;
  Waiters groups_;
  std::vector<SimTime> pairs_;  // end of each pair's and group's wait
  SimTime busy_;
};

}  // namespace tilecast
