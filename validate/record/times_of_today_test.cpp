#include "validate/record/times_of_today.h"

#include <fmt/format.h>

#include <string>

#include "tests/catch.h"
#include "validate/record/example_measurement.h"

namespace tilecast {
namespace {

TEST_CASE("Times of earlier kernels with clusters become shorter by the saving since") {
  const auto clustered = [](const char* cluster) {
    return fmt::format(
        "persistent_overlap:tile=128x128x64,stages=4,warpgroups=2x1,cluster={},ctas=1,inflight=1,c_"
        "slots=2,raster=grouped_m,group=8,walk=strided",
        cluster);
  };
  const std::string of_cluster = clustered("2x1"), of_one = clustered("1x1");
  Measurement now = example_measurement(of_cluster, Seconds{10e-6});
  now.revision = current_revision(now.point);
  const Measurement earlier = example_measurement(of_cluster, Seconds{10e-6}),
                    alone = example_measurement(of_one, Seconds{10e-6});
  const MeasurementFile file = in_times_of_today({.rows = {{1, now}, {2, earlier}, {3, alone}}});
  const auto us = [&](std::size_t row) { return file.rows[row].measurement.time->median * 1e6; };
  CHECK(us(0).value == Approx(10));
  CHECK(us(1).value == Approx(10 - 0.45));
  CHECK(file.rows[1].measurement.cycles->value == Approx((10 - 0.45) * 1500));
  CHECK(us(2).value == Approx(10));
}

TEST_CASE("Rows of kernels with narrower stores count only if rows of C start at sectors") {
  const auto row = [](i64 columns, i64 revision) {
    Measurement m = example_measurement(
        "persistent_overlap:tile=128x176x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,"
        "inflight=1,c_slots=2,raster=grouped_m,group=8,walk=strided",
        Seconds{10e-6}, {4096, columns, 4096});
    m.revision = revision;
    return MeasurementRow{columns + revision, m};
  };
  // 4,104 columns of two bytes are 256.5 sectors; 4,097 have no bulk stores.
  const MeasurementFile file =
      in_times_of_today({.rows = {row(4096, 1), row(4097, 1), row(4104, 1), row(4104, 2)}});
  CHECK(file.outdated == 1);
  REQUIRE(file.rows.size() == 3);
  CHECK(file.rows[0].line == 4097);
  CHECK(file.rows[1].line == 4098);
  CHECK(file.rows[2].line == 4106);
}

}  // namespace
}  // namespace tilecast
