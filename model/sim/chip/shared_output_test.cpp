#include "model/sim/chip/shared_output.h"

#include <algorithm>
#include <queue>
#include <vector>

#include "tests/catch.h"

using namespace tilecast;

namespace {

constexpr SimTime kService{1000};

struct Asked {
  SimTime at;
  u32 pair;
  bool operator>(const Asked& other) const {
    return at.ps != other.at.ps ? at > other.at : pair > other.pair;
  }
};

/// Returns the times at which each pair has had `each` requests served, with `in_flight`
/// outstanding at a time.
std::vector<SimTime> ends_of(const std::vector<SmPlace>& pairs, u32 groups, i32 each,
                             i32 in_flight) {
  SharedOutput output(groups, 3);
  std::priority_queue<Asked, std::vector<Asked>, std::greater<>> next;
  std::vector<i32> left(pairs.size(), each);
  std::vector<SimTime> ends(pairs.size());
  for (u32 pair = 0; pair < pairs.size(); ++pair) {
    for (i32 i = 0; i < in_flight; ++i) {
      next.push({{0}, pair});
    }
  }
  while (!next.empty()) {
    const auto [at, pair] = next.top();
    next.pop();
    if (left[pair]-- > 0) {
      ends[pair] = output.serve(at, pairs[pair], kService);
      next.push({ends[pair], pair});
    }
  }
  return ends;
}

std::vector<SmPlace> chip(u32 pairs, u32 gpcs, u32 groups) {
  std::vector<SmPlace> places;
  for (u32 pair = 0; pair < pairs; ++pair) {
    places.push_back(place_of_pair(pair, gpcs, groups));
  }
  return places;
}

}  // namespace

TEST_CASE("Pairs are spread over all GPCs and all groups of each") {
  CHECK(place_of_pair(0, 8, 3).group == 0);
  CHECK(place_of_pair(9, 8, 3).gpc == 1);
  CHECK(place_of_pair(9, 8, 3).group == 4);  // the second pair of GPC 1
  CHECK(place_of_pair(25, 8, 3).group == 3);
  CHECK(place_of_pair(25, 8, 3).pair == 1);  // second pair of its first group
}

TEST_CASE("A lone requester has L2 to itself") {
  SharedOutput output(6, 3);
  CHECK(output.serve({0}, {0, 0, 0}, kService).ps == 1000);
  CHECK(output.serve({100}, {0, 0, 0}, kService).ps == 2000);
  CHECK(output.serve({5000}, {1, 3, 2}, kService).ps == 6000);
  CHECK(output.busy().ps == 3000);
}

TEST_CASE(
    "Two groups get half the rate each, and a pair half of its group's while the other waits") {
  SharedOutput output(2, 2);
  CHECK(output.serve({0}, {0, 0, 0}, kService).ps == 1000);
  CHECK(output.serve({0}, {0, 1, 0}, kService).ps == 2000);  // slowed by two groups
  CHECK(output.serve({0}, {0, 0, 1}, kService).ps ==
        4000);  // slowed by two groups, and by two pairs in this one
  CHECK(output.serve({4000}, {0, 1, 0}, kService).ps == 5000);  // all others are done
}

TEST_CASE("SMs in groups of two finish before those in groups of three, at L2's full rate") {
  // The H200 has 66 pairs on 8 GPCs. Two GPCs have three groups of three pairs; in the other six,
  // one group has only two.
  const std::vector<SmPlace> places = chip(66, 8, 3);
  std::vector<i32> size(24);
  for (const SmPlace& place : places) {
    ++size[place.group];
  }
  CHECK(std::ranges::count(size, 2) == 6);
  constexpr i32 kEach = 400;
  const std::vector<SimTime> ends = ends_of(places, 24, kEach, 4);
  const double whole = 66.0 * kEach * static_cast<double>(kService.ps);
  for (std::size_t pair = 0; pair < places.size(); ++pair) {
    const double end = static_cast<double>(ends[pair].ps) / whole;
    // A pair in a group of two gets 1/48 of the rate, 11/8 of the mean 1/66, so it ends at 8/11 of
    // the time.
    CHECK(end == Approx(size[places[pair].group] == 2 ? 8.0 / 11 : 1).epsilon(0.02));
  }
  CHECK(static_cast<double>(std::ranges::max(ends).ps) == Approx(whole).epsilon(0.005));
}
