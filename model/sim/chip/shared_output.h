// L2's output as SMs share it. Pairs of SMs (TPCs) lie in groups (CPCs), a few to a GPC; groups
// that want something get equal parts of the rate, and pairs equal parts of their group's. Where
// groups are of unequal size, SMs of the small ones get more while L2 is busy, as on the H200,
// where 24 of 132 are 1.3 times as fast as the others over a run that those end (l2.share_of_sm;
// docs/dev/notebook/constants.md, The machine).
//
// A request is put behind those of its own pair, and takes its time once for each group, and each
// pair of its group, that still waits for something when it comes. No time of L2's is lost by that:
// all that is asked for is put out at the rate of L2 to 0.3 % while requests keep coming; in bursts
// up to 1.4 % over it was seen (simulate.cpp holds kernels to L2's time).
//
// Leaves out: that parts change while a request is served; places in a group, 2.5 % apart.
//
// Checked by: shared_output_test.cpp.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "model/base/sim_time.h"

namespace tilecast {

/// Where an SM's way to L2 begins.
struct SmPlace {
  u32 gpc = 0;
  u32 group = 0;  // of all GPCs
  u32 pair = 0;   // of the group
};

/// Of a pair of SMs: pairs lie on one GPC after the other, and on one group of a GPC after the
/// other. No groups: all pairs are served in the order of asking, as one.
constexpr SmPlace place_of_pair(u32 pair, u32 gpcs, u32 groups_of_gpc) {
  if (groups_of_gpc == 0) {
    return {pair % gpcs, 0, 0};
  }
  const u32 gpc = pair % gpcs, in_gpc = pair / gpcs;
  return {gpc, gpc * groups_of_gpc + in_gpc % groups_of_gpc, in_gpc / groups_of_gpc};
}

/// Things that wait, each until some time of its own.
class Waiters {
 public:
  explicit Waiters(u32 count) : until_((count + kTogether - 1) / kTogether * kTogether) {}

  /// How many wait at `now`, counting `one` whether it does or not.
  i64 with(u32 one, SimTime now) {
    if (now >= first_end_ || now < counted_) {
      count(now);
    }
    return waiting_ + (until_[one] > now ? 0 : 1);
  }

  /// Of one that was asked about at `now`.
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

  static constexpr std::size_t kTogether = 8;  // unrolled by so many, for vectors
  static constexpr SimTime kNever{std::numeric_limits<i64>::max()};

  std::vector<SimTime> until_;
  // As many wait from `counted_` until `first_end_`, or longer.
  i64 waiting_ = 0;
  SimTime counted_, first_end_ = kNever;
};

class SharedOutput {
 public:
  SharedOutput(u32 groups, u32 pairs_of_group)
      : pairs_of_group_(pairs_of_group),
        groups_(groups),
        pairs_(std::size_t{groups} * pairs_of_group) {}

  /// When the request is served, which L2 alone would take `service` for. `asked` may not go back.
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

  /// Of L2's own time.
  SimTime busy() const { return busy_; }

 private:
  u32 pairs_of_group_;
  Waiters groups_;
  std::vector<SimTime> pairs_;  // until when each waits for what it asked for
  SimTime busy_;
};

}  // namespace tilecast
