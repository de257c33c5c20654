#include "validate/record/times_of_today.h"

#include "tests/catch.h"
#include "validate/record/example_measurement.h"

namespace tilecast {
namespace {

TEST_CASE("Times of earlier kernels with clusters become shorter by the saving since") {
  constexpr const char *kOfCluster = "persistent_overlap:tile=128x128x64,stages=4,cluster=2x1",
                       *kAlone = "persistent_overlap:tile=128x128x64,stages=4,cluster=1x1";
  Measurement now = example_measurement(kOfCluster, Seconds{10e-6});
  now.revision = current_revision(now.point);
  const Measurement earlier = example_measurement(kOfCluster, Seconds{10e-6}),
                    alone = example_measurement(kAlone, Seconds{10e-6});
  const MeasurementFile file = in_times_of_today({.rows = {{1, now}, {2, earlier}, {3, alone}}});
  const auto us = [&](std::size_t row) { return file.rows[row].measurement.time->median * 1e6; };
  CHECK(us(0).value == Approx(10));
  CHECK(us(1).value == Approx(10 - 0.45));
  CHECK(file.rows[1].measurement.cycles->value == Approx((10 - 0.45) * 1500));
  CHECK(us(2).value == Approx(10));
}

}  // namespace
}  // namespace tilecast
