#include "validate/measure/micro_overlay.h"

#include "model/base/file.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

MicroPoint point(const std::string& key, const std::string& variant, double value, double in_time,
                 double half_spread = 0) {
  MicroPoint made;
  made.key = key;
  made.variant = variant;
  made.kernel = "some_kernel";
  made.value = {value, value - half_spread, value + half_spread};
  made.in_time = {in_time, in_time - half_spread, in_time + half_spread};
  made.samples = 9;
  return made;
}

const std::vector<MicroPoint> kPoints = {
    point("wgmma.interval", "n=128 a=shared", 65, 33),
    point("tma.l2_latency", "bytes=8192", 500, 260, 6.745),
    point("launch.sms_used", "a CTA per SM", 132, 0),
    point("l2.distinct_lines", "sms=132 apart=1", 4900, 9500),
    point("l2.shared_lines", "degree=2 neighbours in_step cluster=1", 7000, 13500),
    point("l2.shared_lines", "degree=4 neighbours in_step cluster=1", 8580, 16500),
    point("dram.mix_rate", "reads=0 writes=1 bytes=8192", 2000, 3840),
    point("clusters.max_active_of_4", "one CTA per SM", 31, 0),
};

}  // namespace

TEST_CASE("Measured constants are what their points say, in the unit of the GPU file") {
  const auto constants = measured_constants(kPoints, BytesPerSecond{4.8e12});
  const auto value = [&](const std::string& key) {
    for (const MeasuredConstant& constant : constants) {
      if (constant.section + "." + constant.key == key) {
        return constant.value.median;
      }
    }
    return -1.0;
  };
  CHECK(value("wgmma.issue_overhead") == Approx(1));     // 65 - 128 / 2
  CHECK(value("tma.l2_latency") == Approx(260));         // ns
  CHECK(value("l2.output") == Approx(9.5));              // 9500 B/ns
  CHECK(value("sm.intake") == Approx(65));               // 8580 / 132 SMs
  CHECK(value("dram.write_efficiency") == Approx(0.8));  // 3840 B/ns of 4800
  CHECK(value("clusters.max_active_of_4") == Approx(31));
  CHECK(value("dram.read_efficiency") == -1);  // not measured, so not there
}

TEST_CASE("The overlay of measured constants is read back by the model") {
  const TemporaryFolder folder;
  write_file(folder / "gpus/h200_sxm.yaml", read_file("configs/gpus/h200_sxm.yaml"));
  write_file(folder / "gpus/h200_sxm.calibrated.yaml",
             overlay_text("h200_sxm", measured_constants(kPoints, BytesPerSecond{4.8e12})));
  const LoadedGpu gpu = load_gpu("h200_sxm", true, folder / ".");
  CHECK(gpu.calibrated);
  CHECK(gpu.spec.tma->l2_latency.value == Approx(260e-9));
  CHECK(gpu.spec.clusters->max_active_of_4 == 31);
  CHECK(gpu.spec.sm.intake.value == Approx(65));
}

}  // namespace tilecast
