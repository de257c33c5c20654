#include "validate/compare/dataset_tables.h"

#include "tests/catch.h"
#include "validate/record/example_measurement.h"

namespace tilecast {
namespace {

const std::string kWhole =
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided";
const std::string kOtherOrder =
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=1,walk=strided";
const std::string kBlocked =
    "blocked:tile=128x128x128,warpgroups=1x1,ctas=2,c_slots=0,"
    "raster=grouped_m,group=8";
const std::string kSplit =
    "split_k:tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
    "producer=40,splits=2,reduction=turnstile,raster=grouped_m,group=8";

/// At so many megahertz.
Measurement row(const std::string& config, double microseconds, double megahertz) {
  Measurement m = example_measurement(config, Seconds{microseconds / 1e6});
  m.sm_clock = Hertz{megahertz * 1e6};
  m.cycles = cycles_of(m.time->median, *m.sm_clock);
  return m;
}

MeasurementFile file_of(const std::vector<Measurement>& rows) {
  MeasurementFile file{.name = "data/squares.csv.gz"};
  i64 line = 1;
  for (const Measurement& m : rows) {
    file.rows.push_back({++line, m});
  }
  return file;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("Each question is answered with the figures of its rows") {
  // 180 us x 1500 MHz = 270 kcycles is the fastest; 192 x 1400 = 268.8 kcycles has fewer cycles:
  // 192/180 = 1.067. blocked: 360 us. Splitting: 200 us. cuBLASLt: 198 and 189 us.
  const MeasurementFile file =
      file_of({row(kWhole, 180, 1500), row(kOtherOrder, 192, 1400), row(kBlocked, 360, 1500),
               row(kSplit, 200, 1500), row(std::string(kCublasltTop1), 198, 1500),
               row(std::string(kCublasltBest), 189, 1500)});
  const std::string text = dataset_tables(measured_groups({file}));
  CAPTURE(text);
  CHECK(has(text, "| burst | squares | 1 | 1 | 1.067 | 1.067 |"));
  // 1500 / 1400 = 1.0714; 268.8 / 270 = 0.996; 192 / 180
  CHECK(has(text, "1 kernels were measured in two orders or more"));
  CHECK(has(text, "7.14 % less than the one with the highest in the median"));
  CHECK(has(text, "`m8` 1500 MHz | `m1` 1400 MHz | 0.996 | 1.067 |"));
  CHECK(has(text, "| warp_specialized | 1 | 0.500 | 0.500 | 0 | - |"));
  CHECK(has(text, "its time is 1.048 of the best of its first sixteen and 1.100 of the best"));
  CHECK(has(text, "On 0 of 1 problems"));
  CHECK(has(text, "| 4096x4096x4096 | 180.0 | 200.0 | 0.900 |"));
}

TEST_CASE("Energy comes from sustained rows: power times time over FLOPs") {
  Measurement sustained = row(kBlocked, 360, 1300);
  sustained.point.regime = Regime::kSustained;
  sustained.power = Watts{700};
  const std::string text = dataset_tables(measured_groups({file_of({sustained})}));
  CHECK(has(text, "| blocked | 0 | - | - | 1 | 1.834 |"));  // 700 W x 360 us / 2 x 4096^3
}

TEST_CASE("Of a point that stands twice the last row counts, and rows that are not right none") {
  Measurement wrong = row(kOtherOrder, 1, 1500);
  wrong.status = Status::kWrong;
  wrong.reason = "7 elements";
  wrong.time.reset();
  const MeasurementFile file = file_of({row(kWhole, 180, 1500), row(kWhole, 90, 1500), wrong});
  const std::vector<MeasuredGroup> groups = measured_groups({file});
  REQUIRE(groups.size() == 1);
  REQUIRE(groups[0].configs.size() == 1);
  CHECK(groups[0].fastest().time().value == Approx(90e-6));
}

}  // namespace
}  // namespace tilecast
