// Checks those constants of the H200 that several committed micro-benchmark points together
// determine; micro_overlay_test.cpp checks those that one point determines. Runs in the repository
// root.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/h200.h"
#include "validate/record/csv_text.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

const std::string kFolder = "validate/data/h200_sxm/micro/";

/// Constants by key and variant.
using Constants = std::map<std::pair<std::string, std::string>, double>;

Constants read_run(const std::string& name) {
  const std::string path = kFolder + name;
  Constants run;
  for (const CsvRow& row : csv_rows(read_stored_text(path), path)) {
    run[{row.text("key"), row.text("variant")}] = parse_number(row.text("value")).value();
  }
  return run;
}

}  // namespace

TEST_CASE("A warpgroup's overheads per K block are those of a single CTA") {
  const MachineSpec machine = *load_gpu("h200_sxm", false).spec.machine;
  // Cycles of the SM clock under tensor load; 64x256x64 takes 512 cycles of wgmmas.
  std::map<std::string, std::map<i64, double>> times;
  for (const auto& [line, row] :
       read_measurements("validate/data/h200_sxm/turns/turns.csv.gz").rows) {
    times[row.point.config][std::get<GemmProblem>(row.point.problem).shape.k] =
        row.time->median.value;
  }
  const auto of_block = [&](const std::string& tile, const std::string& schedule, i32 inflight) {
    for (const auto& [text, at] : times) {
      const KernelConfig config = parse_kernel_config(text);
      if (contains(text, "tile=" + tile) && at.size() == 2 &&
          to_text(config.schedule) == schedule && config.inflight == inflight) {
        const double blocks = 8192.0 / config.tiling.block_k;
        return (at.at(16384) - at.at(8192)) / blocks * 1.8e9;
      }
    }
    FAIL(tile + " was not measured");
    return 0.0;
  };
  CHECK(of_block("64x256x64", "warp_specialized", 1) == Approx(512).epsilon(0.005));
  const auto issued = [&](i32 wgmmas) {
    return machine.turn.value + machine.mma_issue.value + wgmmas * machine.wgmma_issue.value;
  };
  CHECK(issued(4) == Approx(of_block("64x64x64", "warp_specialized", 1)).epsilon(0.01));
  CHECK(issued(8) == Approx(of_block("64x16x128", "warp_specialized", 1)).epsilon(0.06));
  CHECK(machine.turn.value + 128 + machine.wgmma_completion.value ==
        Approx(of_block("64x64x64", "warp_specialized", 0)).epsilon(0.02));
  const auto loads = [&](i32 copies) {
    return machine.own_load.value + machine.own_copy.value * copies;
  };
  CHECK(issued(4) + loads(2) == Approx(of_block("64x64x64", "pipelined", 1)).epsilon(0.01));
  CHECK(issued(8) + loads(4) == Approx(of_block("64x16x128", "pipelined", 1)).epsilon(0.06));
  CHECK(issued(4) + loads(2) + machine.load_ahead.value ==
        Approx(of_block("64x64x64", "persistent_overlap", 1)).epsilon(0.01));
}

TEST_CASE("SM groups of two pairs get more L2 output per SM than groups of three") {
  const MachineSpec machine = *load_gpu("h200_sxm", false).spec.machine;
  std::vector<double> shares;
  for (const auto& [key, value] : read_run("shares.csv.gz")) {
    shares.push_back(value);
  }
  REQUIRE(shares.size() == 132);
  // 66 pairs on eight GPCs with three groups each: six groups have two pairs.
  const i32 small_groups = machine.gpcs * machine.gpc_groups * 3 - 66;
  CHECK(std::ranges::count_if(shares, [](double share) { return share > 1.1; }) ==
        4 * small_groups);
  CHECK(std::ranges::none_of(shares, [](double share) { return share > 1 && share < 1.15; }));
}

TEST_CASE("Constants of copies that micro-benchmarks measure together are those of a line") {
  const MachineSpec machine = *h200().machine;
  const Constants run = read_run("micro.csv.gz");
  const auto at = [&](const char* key, const char* variant) { return run.at({key, variant}); };
  // Issue of copies: a line through the times of 4 and 16 copies, and the remainder for a single
  // one.
  const double four = 4 * at("tma.issue_per_copy", "bytes=128 count=4");
  const double sixteen = 16 * at("tma.issue_per_copy", "bytes=128 count=16");
  const double one = at("tma.issue_per_copy", "bytes=128 count=1");
  CHECK(machine.issue_copy.value == Approx((sixteen - four) / 12).epsilon(0.01));
  CHECK(machine.issue.value == Approx(one - (sixteen - four) / 12).epsilon(0.02));
  // Loads from L2: the time of another 16 KiB, which are 128 requests.
  const double half = at("tma.l2_latency", "bytes=16384");
  const double whole = at("tma.l2_latency", "bytes=32768");
  CHECK(machine.request.value == Approx((whole - half) / 128).epsilon(0.01));
  // Out-of-bounds rows, for each of eight GPCs.
  CHECK(machine.outside.value ==
        Approx(at("tma.box_turn", "box=256 inside=0 in_step sms=132") * 8 / (132 * 256))
            .epsilon(0.01));
  // Stores: a line through the times of 8 and 32 KiB.
  const double short_store = at("tma.store_source_free", "bytes=8192 store");
  const double long_store = at("tma.store_source_free", "bytes=32768 store");
  const double per_byte = (long_store - short_store) / 24576;
  CHECK(machine.store_read.value == Approx(1 / per_byte).epsilon(0.01));
  CHECK(machine.store_latency.value == Approx(short_store - 8192 * per_byte).epsilon(0.02));
}

TEST_CASE("Copies and GEMMs have the same constants") {
  // These constants are in both sections, because GPUs that run only copies have no section
  // machine.
  const MachineSpec machine = *h200().machine;
  const StreamSpec& stream = *h200().stream;
  CHECK(stream.kernel.value ==
        Approx(machine.kernel.value + machine.cta_start.value).epsilon(1e-9));
  CHECK(stream.bulk_read_out == machine.store_read);
  CHECK(stream.cta_refill.value == Approx(machine.cta_refill.value).epsilon(0.01));
  const auto at_most = [&](Cycles cycles) { return time_of(cycles, h200().clock->max).value; };
  CHECK(stream.bulk_store.value == Approx(at_most(machine.store_latency)).epsilon(0.03));
  CHECK(stream.bulk_latency.value ==
        Approx(at_most(machine.l2_latency) + machine.dram_latency.value).epsilon(0.01));
}

}  // namespace tilecast
