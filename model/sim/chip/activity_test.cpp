#include "model/sim/chip/activity.h"

#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("Amounts go to the slice of their time and survive merging") {
  Activity activity;
  const i64 slice = activity.slice_length().ps;
  activity.add(Resource::kTensor, {0}, 5);
  activity.add(Resource::kTensor, {slice - 1}, 7);
  activity.add(Resource::kTensor, {slice}, 11);
  activity.add(Resource::kDramRead, {slice}, 100);
  CHECK(activity.slices()[0][0] == 12);  // 5 + 7
  CHECK(activity.slices()[1][0] == 11);
  // One slice too many, so neighbours are merged and slices double in length.
  activity.add(Resource::kTensor, {slice * 64}, 3);
  CHECK(activity.slice_length().ps == 2 * slice);
  CHECK(activity.slices()[0][0] == 23);
  CHECK(activity.slices()[32][0] == 3);
  CHECK(activity.total(Resource::kTensor) == 26);
  CHECK(activity.total(Resource::kDramRead) == 100);
}
