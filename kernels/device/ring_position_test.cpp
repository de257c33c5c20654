// Compares the kernels' ring positions with counting barriers: each wait must return exactly when
// the round that it refers to is done, in any order of the roles. A parity distinguishes rounds
// only as long as no role is two rounds ahead.
#include "kernels/device/ring_position.h"

#include <random>
#include <vector>

#include "tests/catch.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

/// An mbarrier: the last arrival completes a round. A wait on a parity passes once the previous
/// round has that parity.
class CountedBarrier {
 public:
  explicit CountedBarrier(i32 arrivals) : arrivals_(arrivals), pending_(arrivals) {}

  void arrive() {
    if (--pending_ == 0) {
      pending_ = arrivals_;
      ++rounds_;
    }
  }
  bool passes(u32 parity) const { return (rounds_ & 1) != parity; }
  u32 rounds() const { return rounds_; }

 private:
  i32 arrivals_, pending_;
  u32 rounds_ = 0;
};

/// Simulates a warp-specialised kernel on `tiles` tiles of `k_blocks` K blocks: stages pass from
/// the loading to the issuing role, accumulators from there to `readers` epilogue warps. Roles take
/// their steps in random order, as soon as their waits pass.
template <i32 kStages, i32 kAccumulators>
class Pipeline {
 public:
  Pipeline(i32 tiles, i32 k_blocks, i32 readers)
      : tiles_(tiles),
        k_blocks_(k_blocks),
        full_(kStages, CountedBarrier(1)),
        empty_(kStages, CountedBarrier(1)),
        done_(kAccumulators, CountedBarrier(1)),
        free_(kAccumulators, CountedBarrier(readers)),
        read_(readers, 0),
        reading_(readers) {}

  void run(std::mt19937& random) {
    const i32 blocks = tiles_ * k_blocks_;
    const i32 readers = static_cast<i32>(read_.size());
    std::uniform_int_distribution<i32> role(0, 1 + readers);
    // far more than random delays need: some wait never passes
    constexpr int kMostSteps = 1'000'000;
    for (int step = 0; stored_ < tiles_ * readers; ++step) {
      REQUIRE(step < kMostSteps);
      const i32 who = role(random);
      if (who == 0 && loaded_ < blocks) {
        load();
      } else if (who == 1 && issued_ < blocks) {
        issue();
      } else if (who > 1) {
        store(static_cast<std::size_t>(who - 2));
      }
    }
  }

 private:
  void load() {
    if (!empty_[load_.stage].passes(load_.phase ^ 1)) {
      return;
    }
    // All blocks that were in this stage before have been multiplied.
    REQUIRE(issued_ > loaded_ - kStages);
    full_[load_.stage].arrive();
    load_.advance();
    ++loaded_;
  }

  void issue() {
    const bool first = issued_ % k_blocks_ == 0;
    const i32 tile = issued_ / k_blocks_;
    if (first && !free_[tile_.index].passes(tile_.phase ^ 1)) {
      return;
    }
    if (!full_[issue_.stage].passes(issue_.phase)) {
      return;
    }
    REQUIRE(loaded_ > issued_);
    for (const i32 read : read_) {
      REQUIRE(read > tile - kAccumulators);  // no reader needs the overwritten stage
    }
    empty_[issue_.stage].arrive();  // the commit of the MMAs that read the stage
    issue_.advance();
    if (++issued_ % k_blocks_ == 0) {
      done_[tile_.index].arrive();
      tile_.advance();
    }
  }

  void store(std::size_t warp) {
    BufferPosition<kAccumulators>& at = reading_[warp];
    if (read_[warp] == tiles_ || !done_[at.index].passes(at.phase)) {
      return;
    }
    REQUIRE(issued_ / k_blocks_ > read_[warp]);
    free_[at.index].arrive();
    at.advance();
    ++read_[warp];
    ++stored_;
  }

  i32 tiles_, k_blocks_;
  std::vector<CountedBarrier> full_, empty_, done_, free_;
  RingPositionOf<kStages, kStages> load_, issue_;
  BufferPosition<kAccumulators> tile_;
  i32 loaded_ = 0, issued_ = 0, stored_ = 0;
  std::vector<i32> read_;
  std::vector<BufferPosition<kAccumulators>> reading_;
};

}  // namespace

TEST_CASE("Every wait for a hand-over refers to the right round, in any order of roles") {
  std::mt19937 random(daily_seed("hand-overs of a pipeline"));
  for (int i = 0; i < 50; ++i) {
    Pipeline<4, 2>(7, 5, 4).run(random);
    Pipeline<4, 1>(5, 9, 8).run(random);
    Pipeline<6, 2>(9, 1, 4).run(random);  // tiles shorter than the ring
    Pipeline<2, 2>(3, 3, 8).run(random);
  }
}

TEST_CASE("A longer B ring wraps independently") {
  RingPositionOf<3, 4> at;
  std::vector<i32> stages, b_stages;
  for (int i = 0; i < 8; ++i) {
    stages.push_back(at.stage);
    b_stages.push_back(at.b_stage());
    at.advance();
  }
  CHECK(stages == std::vector<i32>{0, 1, 2, 0, 1, 2, 0, 1});
  CHECK(b_stages == std::vector<i32>{0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(at.phase == 0);  // eight uses of three stages: two rounds have ended
  RingPositionOf<3, 3> equal;
  equal.advance();
  CHECK(equal.b_stage() == 1);
}

}  // namespace tilecast
