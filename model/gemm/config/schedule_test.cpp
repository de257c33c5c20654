#include "model/gemm/config/schedule.h"

#include <set>
#include <string>

#include "model/base/error.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/schedule_text.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

TEST_CASE("Names, abbreviations and descriptions of schedules are unique", "[schedule]") {
  std::set<std::string> names, abbreviations, meanings;
  for (const Schedule schedule : kEverySchedule) {
    CAPTURE(to_text(schedule));
    CHECK(parse_schedule(to_text(schedule)) == schedule);
    names.emplace(traits_of(schedule).name);
    abbreviations.emplace(traits_of(schedule).abbreviation);
    meanings.emplace(traits_of(schedule).meaning);
  }
  CHECK(names.size() == kEverySchedule.size());
  CHECK(abbreviations.size() == kEverySchedule.size());
  CHECK(meanings.size() == kEverySchedule.size());
}

TEST_CASE("Each schedule runs on one kind of tensor core", "[schedule]") {
  CHECK(kWgmmaSchedules.size() + kTcgen05Schedules.size() + kMmaSyncSchedules.size() ==
        kEverySchedule.size());
  CHECK(kWgmmaSchedules.front() == Schedule::kSmallMma);
  CHECK(kTcgen05Schedules.front() == Schedule::kTcgen05Pipelined);
  CHECK_THROWS_AS(parse_schedule("warp_special"), ConfigError);
}

TEST_CASE("The traits of a schedule do not contradict each other", "[schedule]") {
  for (const Schedule schedule : kEverySchedule) {
    CAPTURE(to_text(schedule));
    const ScheduleTraits traits = traits_of(schedule);
    const bool loops = traits.grid == Grid::kResident || traits.grid_is_open;
    // A CTA with a single tile cannot load ahead across tiles or split K.
    CHECK((!traits.loads_run_ahead || loops));
    CHECK((traits.split_k == SplitK::kNone || loops));
    CHECK((!traits.hybrid || traits.split_k != SplitK::kNone));
    // A separate loader needs a ring.
    CHECK((traits.loader == Loader::kMultiplier || traits.buffers == Buffers::kRing));
    CHECK((!traits.one_k_block || traits.buffers == Buffers::kOne));
    // If a CTA works on two tiles at once, both need one loader, and C cannot be staged in the
    // ring's stages.
    CHECK((traits.tiles_at_once == 1 || traits.loader == Loader::kProducerWarpgroup));
    CHECK((!traits.borrows_b_stages || traits.loader == Loader::kMultiplier));
    CHECK((!traits.accumulators_are_open || traits.tensor_core == TensorCore::kTcgen05));
  }
}

TEST_CASE("fixed_by_schedule agrees with the traits", "[schedule]") {
  CHECK(fixed_by_schedule(Schedule::kBlockedPipelined).tiling.stages == 2);
  CHECK(fixed_by_schedule(Schedule::kBlocked).tiling.stages == 1);
  CHECK(fixed_by_schedule(Schedule::kStreamK).grid == Grid::kResident);
  CHECK(fixed_by_schedule(Schedule::kPipelined).grid == Grid::kTiles);
  CHECK(fixed_by_schedule(Schedule::kTcgen05Pipelined).accumulators == 1);
  CHECK(fixed_by_schedule(Schedule::kPipelined).accumulators == 0);
}

}  // namespace
}  // namespace tilecast
