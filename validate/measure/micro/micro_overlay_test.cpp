#include "validate/measure/micro/micro_overlay.h"

#include <map>

#include "model/base/file.h"
#include "model/base/text.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "validate/record/csv_text.h"
#include "validate/record/stored_text.h"

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

MicroPoint energy(const std::string& key, const std::string& variant, double value, double mhz) {
  MicroPoint made = point(key, variant, value, 0);
  made.clock_mhz = mhz;
  return made;
}

/// Energies at 1400 MHz scale with the square of the clock.
CardFacts h200() {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  return {static_cast<u32>(gpu.sm.count), EnergyScale{Hertz{1.4e9}, 2}};
}

const std::vector<MicroPoint> kPoints = {
    point("wgmma.interval", "n=8 a=registers", 13, 7),
    point("tma.l2_latency", "bytes=16", 420, 212, 6.745),
    point("tma.issue_per_copy", "bytes=16 count=1", 120, 61),
    point("tma.l2_latency", "bytes=16384", 500, 260),
    point("launch.sms_used", "a CTA per SM", 132, 0),
    point("l2.distinct_lines", "sms=132 apart=1 bytes=32768", 4900, 9500),
    point("l2.distinct_lines", "sms=1 apart=132 bytes=32768", 106, 209),
    point("l2.distinct_lines", "sms=132 apart=1 bytes=16384", 4500, 9000),
    point("l2.shared_lines", "degree=132 neighbours in_step cluster=1 bytes=16384", 9900, 19800),
    point("dram.mix_rate", "reads=0 writes=1 bytes=8192", 2000, 3840),
    point("clusters.max_active_of_4", "one CTA per SM", 31, 0),
    point("tma.dram_latency", "bytes=4096", 1000, 500),
    point("tma.dram_latency", "bytes=8192", 1000, 520),
    point("tma.dram_latency", "bytes=16384", 1000, 560),
    point("tma.dram_latency", "bytes=32768", 1000, 640),
    point("flag.hop", "two SMs", 1200, 632),
    point("partial_sums.done", "store kib=128 sms=1", 4096, 2000),
    point("partial_sums.done", "add kib=128 sms=132", 8000, 4000),
    point("power.static_power", "SMs awake", 100, 0),
    energy("power.per_shared_memory_byte", "shared-memory reads", 8, 1400),
    energy("power.per_l2_byte", "L2 reads", 48, 2800),
    energy("power.per_dram_byte", "DRAM reads", 100, 2800),
    energy("power.per_flop_normal", "tensor n=256 normal", 1, 1400),
};

/// Returns the constants that a committed run of the micro-benchmarks gives, by section and key.
std::map<std::string, double> constants_of_run(const std::string& name) {
  const std::string path = "validate/data/h200_sxm/micro/" + name;
  std::vector<MicroPoint> points;
  for (const CsvRow& row : csv_rows(read_stored_text(path), path)) {
    const auto number = [&](const char* column) {
      return parse_number(row.text(column)).value_or(0);
    };
    points.push_back(
        point(row.text("key"), row.text("variant"), number("value"), number("in_time")));
    points.back().clock_mhz = number("sm_clock_mhz");
  }
  std::map<std::string, double> constants;
  for (const MeasuredConstant& constant : measured_constants(points, h200())) {
    constants[constant.section + "." + constant.key] = constant.value.median;
  }
  return constants;
}

}  // namespace

TEST_CASE("Constants of the H200's file are those of the committed micro-benchmarks") {
  const LoadedGpu gpu = load_gpu("h200_sxm", false);
  int checked = 0;
  const auto check = [&](const char* run, double epsilon, auto applies) {
    const auto measured = constants_of_run(run);
    for (const Constant& constant : gpu.constants) {
      const auto found = measured.find(constant.key_path);
      if (found != measured.end() && applies(constant.key_path)) {
        INFO(constant.key_path);
        CHECK(found->second == Approx(constant.value).epsilon(epsilon));
        ++checked;
      }
    }
  };
  const auto by_card = [](const std::string& key) {  // the file has the median of several GPUs
    return key == "dram.read_rate" || key == "stream.bulk_rate" || key == "machine.mma_queue";
  };
  check("whole_run_3.csv.gz", 0.01, [&](const std::string& key) { return !by_card(key); });
  check("whole_run_3.csv.gz", 0.025, by_card);
  check("energy.csv.gz", 0.002, [](const std::string& key) {
    return key == "power.static_power" || key == "power.per_dram_byte";
  });
  CHECK(checked == 35);
}

TEST_CASE("Measured constants have their points' values, in the unit of the GPU file") {
  const auto constants = measured_constants(kPoints, h200());
  const auto value = [&](const std::string& key) {
    for (const MeasuredConstant& constant : constants) {
      if (constant.section + "." + constant.key == key) {
        return constant.value.median;
      }
    }
    return -1.0;
  };
  CHECK(value("machine.wgmma_least") == Approx(13));
  CHECK(value("machine.l2_latency") == Approx(300));    // 420 - 120
  CHECK(value("machine.dram_latency") == Approx(300));  // 560 - 260 ns
  CHECK(value("machine.l2_output") == Approx(9.5));     // 9500 B/ns
  CHECK(value("machine.intake") == Approx(106));
  CHECK(value("machine.merge_limit") == Approx(2.2));  // 9900 / 4500
  CHECK(value("dram.write_rate") == Approx(3.84));
  CHECK(value("clusters.max_active_of_4") == Approx(31));
  // 500 ns at 4 KiB and 20 ns for each further 4 KiB: 480 ns without bytes, and 4096 B in 20 ns.
  CHECK(value("stream.bulk_latency") == Approx(480));
  CHECK(value("stream.bulk_rate") == Approx(204.8));
  CHECK(value("reduction.hop") == Approx(632));
  CHECK(value("reduction.sm_store") == Approx(32));        // 131072 B in 4096 cycles
  CHECK(value("reduction.chip_add") == Approx(4.325376));  // 132 * 131072 B in 4 us
  CHECK(value("power.static_power") == Approx(100));
  CHECK(value("power.per_shared_memory_byte") == Approx(8));
  CHECK(value("power.per_l2_byte") == Approx(4));     // 48 / 4, minus 8 for shared memory
  CHECK(value("power.per_dram_byte") == Approx(52));  // 100 minus 48 for L2
  // 10240 B per 524288 FLOPs, at 8 pJ per byte.
  CHECK(value("power.per_flop_normal") == Approx(0.84375));
  CHECK(value("dram.read_rate") == -1);  // not measured, so absent
}

TEST_CASE("The overlay of measured constants is read back by the model") {
  const TemporaryFolder folder;
  write_file(folder / "gpus/h200_sxm.yaml", read_file("configs/gpus/h200_sxm.yaml"));
  write_file(folder / "gpus/h200_sxm.calibrated.yaml",
             overlay_text("h200_sxm", measured_constants(kPoints, h200())));
  const LoadedGpu gpu = load_gpu("h200_sxm", true, folder / ".");
  CHECK(gpu.calibrated);
  CHECK(gpu.spec.machine->l2_latency.value == Approx(300));
  CHECK(gpu.spec.clusters->max_active_of_4 == 31);
  CHECK(gpu.spec.machine->intake.value == Approx(106));
}

}  // namespace tilecast
