// Checks the committed micro-benchmarks and counters against arithmetic: facts about the GPU that
// are independent of the model. Runs in the repository root.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/file.h"
#include "model/base/math.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "validate/compare/statistics.h"
#include "validate/record/csv_text.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

const std::string kFolder = "validate/data/h200_sxm/micro/";

struct Constant {
  double value, q1, q3;
  double in_time;  // value in time units; 0 if not in the file
};
/// Constants by key and variant.
using Constants = std::map<std::pair<std::string, std::string>, Constant>;

Constants read_run(const std::string& name) {
  const std::string path = kFolder + name;
  Constants run;
  for (const CsvRow& row : csv_rows(read_stored_text(path), path)) {
    const auto number = [&](const char* column) { return parse_number(row.text(column)).value(); };
    run[{row.text("key"), row.text("variant")}] = {number("value"), number("q1"), number("q3"),
                                                   parse_number(row.text("in_time")).value_or(0)};
  }
  return run;
}

/// Maps of SMs and CTAs differ between cards; traces are functions of time.
bool is_map(const std::string& key) {
  return key.ends_with("_of_sm") || key.ends_with("_of_cta") || key == "l2.sms_on_side_of_sm_0" ||
         key == "clock.trace";
}

const std::vector<std::string> kRuns = {"micro.csv.gz", "micro_second_run.csv.gz",
                                        "micro_third_run.csv.gz"};

struct Repeats {
  std::size_t constants = 0;
  std::size_t within_3_percent = 0;
  // Constants that differ by more than 3 % and by more than their stated spread.
  std::size_t apart = 0;
};

Repeats repeats_of(const std::vector<Constants>& runs) {
  Repeats repeats;
  for (const auto& [name, first] : runs.front()) {
    if (is_map(name.first)) {
      continue;
    }
    double least = first.value, most = first.value, spread = 0;
    for (const Constants& run : runs) {
      const Constant& constant = run.at(name);
      least = std::min(least, constant.value);
      most = std::max(most, constant.value);
      spread = std::max(spread, constant.q3 - constant.q1);
    }
    const double allowed = 0.03 * std::abs(first.value);
    ++repeats.constants;
    repeats.within_3_percent += most - least <= allowed ? 1 : 0;
    repeats.apart += most - least > std::max(allowed, spread) ? 1 : 0;
  }
  return repeats;
}

/// Median over cards, for DRAM constants, which differ between cards.
double median_over_cards(const std::function<double(const Constants&)>& value) {
  std::vector<double> values;
  for (const char* name : {"micro_first_card.csv.gz", "micro_earlier.csv.gz", "micro.csv.gz"}) {
    values.push_back(value(read_run(name)));
  }
  std::sort(values.begin(), values.end());
  return values[1];
}

struct Line {
  double at_zero, slope;

  /// Least-squares line.
  static Line through(const std::vector<std::pair<double, double>>& points) {
    const double n = static_cast<double>(points.size());
    double x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& [px, py] : points) {
      x += px / n;
      y += py / n;
      xx += px * px / n;
      xy += px * py / n;
    }
    const double slope = (xy - x * y) / (xx - x * x);
    return {y - slope * x, slope};
  }
};

}  // namespace

TEST_CASE("A wgmma from shared memory takes max(N / 2, 16 + N / 4) cycles, from registers N / 2") {
  for (const std::string& name : kRuns) {
    const Constants run = read_run(name);
    for (const int n : {8, 16, 32, 64, 96, 128, 160, 192, 256}) {
      const std::string variant = "n=" + std::to_string(n);
      const double shared = run.at({"wgmma.interval", variant + " a=shared"}).value;
      CHECK(shared == Approx(std::max(n / 2.0, 16 + n / 4.0)).epsilon(0.001));
      if (n >= 32) {  // narrower instructions take 13 cycles
        const double registers = run.at({"wgmma.interval", variant + " a=registers"}).value;
        CHECK(registers == Approx(n / 2.0).epsilon(0.001));
      }
    }
  }
}

TEST_CASE("The tensor cores of an SM reach 4096 floating-point operations per cycle") {
  constexpr double kFlops = 2.0 * 64 * 256 * 16;  // FLOPs per m64n256k16
  for (const std::string& name : kRuns) {
    const Constants run = read_run(name);
    for (const char* variant :
         {"n=256 a=shared", "n=256 a=shared random", "n=256 a=shared every SM"}) {
      const double cycles = run.at({"wgmma.interval", variant}).value;
      CHECK(kFlops / cycles == Approx(4096).epsilon(0.001));
    }
  }
}

TEST_CASE("The SM fill bytes of a GEMM equal its tiles' operands, by counter and by arithmetic") {
  constexpr const char* kCounters = "validate/data/h200_sxm/ladder/counters.csv";
  constexpr i64 kSide = 8192;
  int rows = 0;
  for (const CsvRow& row : csv_rows(read_file(kCounters), kCounters)) {
    const std::optional<double> counted =
        parse_number(row.text("l1tex__m_xbar2l1tex_read_bytes.sum"));
    const std::string& config = row.text("config");
    if (!counted || row.text("k") != std::to_string(kSide)) {
      continue;
    }
    // Every tile loads K elements of 2 bytes for each of its rows of A and columns of B. Clusters
    // are whole, and out-of-bounds parts count as zeros that arrive.
    const Tiling t = parse_kernel_config(config).tiling;
    const i64 tiles_m = round_up(ceil_div<i64>(kSide, t.block_m), i64{t.cluster_m});
    const i64 tiles_n = round_up(ceil_div<i64>(kSide, t.block_n), i64{t.cluster_n});
    const i64 bytes = 2 * kSide * tiles_m * tiles_n * (t.block_m + t.block_n);
    CHECK(*counted == Approx(static_cast<double>(bytes)).epsilon(1e-6));
    ++rows;
  }
  CHECK(rows >= 10);
}

TEST_CASE("A copy reads and writes its bytes of DRAM once, by counter and by arithmetic") {
  int rows = 0;
  for (const auto& [line, row] :
       read_measurements("validate/data/h200_sxm/laboratory/memcpy_core.csv.gz").rows) {
    // 2^30 elements of four bytes; L2 may keep a little of the last writes.
    const double bytes = 4.0 * (1 << 30);
    CHECK(row.counters.at("dram__bytes_read.sum") == Approx(bytes).epsilon(0.001));
    CHECK(row.counters.at("dram__bytes_write.sum") == Approx(bytes).epsilon(0.001));
    CHECK(row.counters.at("l1tex__m_xbar2l1tex_read_bytes.sum") == Approx(bytes).epsilon(1e-6));
    ++rows;
  }
  CHECK(rows == 3);
}

TEST_CASE("Three runs agree on nearly every constant within 3 %, or within its stated spread") {
  const struct {
    std::vector<std::string> runs;
    std::size_t constants, percent_within, apart;  // apart: gaps between host launches
  } cases[] = {{kRuns, 800, 94, 3},
               {{"whole_run_1.csv.gz", "whole_run_2.csv.gz", "whole_run_3.csv.gz"}, 1400, 96, 2}};
  for (const auto& [runs, constants, percent_within, apart] : cases) {
    const Repeats repeats = repeats_of({read_run(runs[0]), read_run(runs[1]), read_run(runs[2])});
    CHECK(repeats.constants > constants);
    CHECK(repeats.within_3_percent > repeats.constants * percent_within / 100);
    CHECK(repeats.apart <= apart);
  }
}

TEST_CASE("Loads for energy measurements keep the GPU busy") {
  const Constants run = read_run("energy.csv.gz");
  int loads = 0;
  for (const auto& [name, constant] : run) {
    if (name.first == "power.load_busy") {
      INFO(name.second);
      CHECK(constant.value > 0.99);
      CHECK(constant.value <= 1.001);
      ++loads;
    }
  }
  CHECK(loads == 13);
}

TEST_CASE(
    "Two runs agree on energy per operation and per byte within 3 %, or within their spread") {
  std::vector<Constants> runs;
  for (const char* name : {"energy.csv.gz", "energy_second_run.csv.gz"}) {
    runs.push_back(read_run(name));
    // A load's rate and power vary together with its clock.
    std::erase_if(runs.back(), [](const auto& constant) {
      return !constant.first.first.starts_with("power.per_") &&
             constant.first.first != "power.static_power";
    });
  }
  const Repeats repeats = repeats_of(runs);
  CHECK(repeats.constants == 14);
  CHECK(repeats.apart == 0);
}

TEST_CASE("A warpgroup runs at most six to seven wgmmas ahead of the tensor cores") {
  const Constants run = read_run("wgmma.csv.gz");
  for (const int n : {64, 128, 256}) {
    const double interval = run.at({"wgmma.interval", fmt::format("n={} a=shared", n)}).value;
    const auto at = [&](const char* key, int instructions) {
      return run.at({key, fmt::format("n={} a=shared instructions={}", n, instructions)}).value;
    };
    for (const int instructions : {16, 32}) {
      // The tensor cores have been busy since the first issue, one instruction per interval.
      const double ahead = instructions - at("wgmma.issue", instructions) / interval;
      CAPTURE(n, instructions);
      CHECK(ahead >= 5.9);
      CHECK(ahead <= 7);
      // The remaining instructions take their intervals plus the last one's completion.
      const double left = at("wgmma.issue_to_done", instructions) - at("wgmma.issue", instructions);
      CHECK(left / interval == Approx(ahead + 50 / interval).epsilon(0.05));
    }
    // Each further instruction waits for a free entry.
    const double more = at("wgmma.issue", 32) - at("wgmma.issue", 16);
    CHECK(more == Approx(16 * interval).epsilon(0.005));
  }
}

TEST_CASE("Rates and latencies of memory-bound kernels and partial sums are the median card's") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const auto time_of = [](const char* key, const char* variant) {
    return median_over_cards([&](const Constants& run) { return run.at({key, variant}).in_time; });
  };
  const StreamSpec& stream = *gpu.stream;
  CHECK(gpu.dram->read_rate.value * 1e-9 ==
        Approx(time_of("dram.read_rate", "sms=132 bytes=8192 slots=16 in_flight_kib=128"))
            .epsilon(0.002));
  CHECK(stream.load_latency.value * 1e9 ==
        Approx(read_run("whole_run_3.csv.gz").at({"dram.load_latency", "span=2GiB"}).in_time)
            .epsilon(0.002));
  // Line through copies of 4 to 32 KiB.
  const auto line_of = [](const Constants& run) {
    std::vector<std::pair<double, double>> points;
    for (const int bytes : {4096, 8192, 16384, 32768}) {
      points.emplace_back(bytes,
                          run.at({"tma.dram_latency", fmt::format("bytes={}", bytes)}).in_time);
    }
    return Line::through(points);
  };
  CHECK(stream.bulk_latency.value * 1e9 == Approx(median_over_cards([&](const Constants& run) {
                                             return line_of(run).at_zero;
                                           })).epsilon(0.002));
  CHECK(stream.bulk_rate.value * 1e-9 == Approx(median_over_cards([&](const Constants& run) {
                                           return 1 / line_of(run).slope;
                                         })).epsilon(0.002));

  const ReductionSpec& reduction = *gpu.reduction;
  CHECK(reduction.hop.value * 1e9 == Approx(time_of("flag.hop", "two SMs")).epsilon(0.002));
  // Partial sums of 256 columns moved by one SM and by all.
  constexpr double kBytes = 128 * 1024;
  const Constants run = read_run("micro.csv.gz");
  const auto done = [&](const char* variant) { return run.at({"partial_sums.done", variant}); };
  CHECK(reduction.sm_store.value ==
        Approx(kBytes / done("store kib=128 sms=1").value).epsilon(0.002));
  CHECK(reduction.sm_add.value == Approx(kBytes / done("add kib=128 sms=1").value).epsilon(0.002));
  CHECK(reduction.sm_load.value ==
        Approx(kBytes / done("load at_once=8 kib=128 sms=1").value).epsilon(0.002));
  CHECK(reduction.chip_store.value * 1e-9 ==
        Approx(132 * kBytes / done("store kib=128 sms=132").in_time).epsilon(0.005));
  CHECK(reduction.chip_add.value * 1e-9 ==
        Approx(132 * kBytes / done("add kib=128 sms=132").in_time).epsilon(0.005));
}

// The rows that the ceiling bounds are 0.1 % higher.
TEST_CASE("The clock ceiling under tensor load is that of zero inputs, in every run") {
  const Hertz plateau = load_gpu("h200_sxm", false).spec.clock->tensor_plateau;
  for (const std::string& name : kRuns) {
    CHECK(plateau.value * 1e-9 ==
          Approx(read_run(name).at({"clock.tensor_plateau", ""}).value).epsilon(0.0015));
  }
}

TEST_CASE("A warpgroup's overheads per K block are those of a single CTA") {
  const MachineSpec machine = *load_gpu("h200_sxm", false).spec.machine;
  // Cycles of the SM clock under tensor load: 64x256x64 is 512 cycles of wgmmas.
  std::map<std::string, std::map<i64, double>> times;
  for (const auto& [line, row] :
       read_measurements("validate/data/h200_sxm/turns/turns.csv.gz").rows) {
    times[row.point.config][std::get<GemmProblem>(row.point.problem).shape.k] =
        row.time->median.value;
  }
  const auto of_block = [&](const std::string& tile, const std::string& schedule, i32 inflight) {
    for (const auto& [text, at] : times) {
      const KernelConfig config = parse_kernel_config(text);
      if (text.find("tile=" + tile) != std::string::npos && at.size() == 2 &&
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
  for (const auto& [key, point] : read_run("shares.csv.gz")) {
    shares.push_back(point.value);
  }
  REQUIRE(shares.size() == 132);
  // 66 pairs on eight GPCs with three groups each: six groups have two pairs.
  const i32 small_groups = machine.gpcs * machine.gpc_groups * 3 - 66;
  CHECK(std::ranges::count_if(shares, [](double share) { return share > 1.1; }) ==
        4 * small_groups);
  CHECK(std::ranges::none_of(shares, [](double share) { return share > 1 && share < 1.15; }));
}

TEST_CASE("The simulator's constants are those measured by micro-benchmarks") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const MachineSpec machine = *gpu.machine;
  const Constants run = read_run("micro.csv.gz");
  const auto at = [&](const char* key, const char* variant) {
    return run.at({key, variant}).value;
  };
  const auto in_time = [&](const char* key, const char* variant) {
    return run.at({key, variant}).in_time;
  };
  CHECK(machine.wgmma_least.value == Approx(at("wgmma.interval", "n=8 a=registers")).epsilon(0.01));
  CHECK(machine.wgmma_completion.value ==
        Approx(at("wgmma.completion_latency", "n=64 a=shared")).epsilon(0.01));
  CHECK(machine.wake.value == Approx(at("mbarrier.wake", "waiting_warps=4")).epsilon(0.01));
  CHECK(machine.remote_wake.value == Approx(at("mbarrier.remote_wake", "cluster=2")).epsilon(0.01));
  CHECK(machine.barrier.value == Approx(at("named_barrier", "warps=4")).epsilon(0.01));

  // Issue of copies: a line through 4 and 16 copies, and the remainder for a single one.
  const double four = 4 * at("tma.issue_per_copy", "bytes=128 count=4");
  const double sixteen = 16 * at("tma.issue_per_copy", "bytes=128 count=16");
  const double one = at("tma.issue_per_copy", "bytes=128 count=1");
  CHECK(machine.issue_copy.value == Approx((sixteen - four) / 12).epsilon(0.01));
  CHECK(machine.issue.value == Approx(one - (sixteen - four) / 12).epsilon(0.02));

  // Loads from L2: latency after the issue, and the time of another 16 KiB.
  const double small = at("tma.l2_latency", "bytes=16");
  const double half = at("tma.l2_latency", "bytes=16384");
  const double whole = at("tma.l2_latency", "bytes=32768");
  CHECK(machine.l2_latency.value == Approx(small - one).epsilon(0.01));
  CHECK(machine.intake.value ==
        Approx(at("l2.distinct_lines", "sms=1 apart=132 bytes=32768")).epsilon(0.01));
  CHECK(machine.request.value == Approx((whole - half) / 128).epsilon(0.01));
  // L2's time does not depend on the SM clock.
  for (const char* clock : {"", " clock=low"}) {
    const std::string all = std::string("sms=132 apart=1 bytes=32768") + clock;
    CHECK(machine.l2_output.value * 1e-9 ==
          Approx(in_time("l2.distinct_lines", all.c_str())).epsilon(0.01));
  }
  // Out-of-bounds rows, for each of eight GPCs.
  CHECK(machine.outside.value ==
        Approx(at("tma.box_turn", "box=256 inside=0 in_step sms=132") * 8 / (132 * 256))
            .epsilon(0.01));
  // Loads from DRAM: additional latency, in time.
  CHECK(machine.dram_latency.value * 1e9 ==
        Approx(median_over_cards([](const Constants& card) {
          return card.at({"tma.dram_latency", "bytes=16384"}).in_time -
                 card.at({"tma.l2_latency", "bytes=16384"}).in_time;
        })).epsilon(0.01));
  CHECK(gpu.dram->write_rate.value * 1e-9 ==
        Approx(in_time("dram.mix_rate", "reads=0 writes=1 bytes=8192")).epsilon(0.01));
  // Rate with all SMs requesting one line over the rate with a separate line each; L2 has its own
  // clock.
  const std::string kib = " bytes=16384";
  CHECK(
      machine.merge_limit ==
      Approx(in_time("l2.shared_lines", ("degree=132 neighbours in_step cluster=1" + kib).c_str()) /
             in_time("l2.distinct_lines", ("sms=132 apart=1" + kib).c_str()))
          .epsilon(0.01));
  // Constants shared by copies and GEMMs are in both sections, since GPUs that run only copies have
  // no section machine; the values must agree.
  const StreamSpec& stream = *gpu.stream;
  CHECK(stream.kernel.value ==
        Approx(machine.kernel.value + machine.cta_start.value).epsilon(1e-9));
  CHECK(stream.bulk_read_out == machine.store_read);
  CHECK(stream.cta_refill.value == Approx(machine.cta_refill.value).epsilon(0.01));
  const auto at_most = [&](Cycles cycles) { return time_of(cycles, gpu.clock->max).value; };
  CHECK(stream.bulk_store.value == Approx(at_most(machine.store_latency)).epsilon(0.03));
  CHECK(stream.bulk_latency.value ==
        Approx(at_most(machine.l2_latency) + machine.dram_latency.value).epsilon(0.01));

  // Stores: a line through 8 and 32 KiB.
  const double short_store = at("tma.store_source_free", "bytes=8192 store");
  const double long_store = at("tma.store_source_free", "bytes=32768 store");
  const double per_byte = (long_store - short_store) / 24576;
  CHECK(machine.store_read.value == Approx(1 / per_byte).epsilon(0.01));
  CHECK(machine.store_latency.value == Approx(short_store - 8192 * per_byte).epsilon(0.02));

  CHECK(machine.dispatch.value * 1e9 ==
        Approx(at("launch.ns_per_cta", "threads=384 shared=204800")).epsilon(0.01));
  CHECK(machine.cta_refill.value ==
        Approx(at("launch.cta_refill", "threads=384 shared=204800 cluster=1")).epsilon(0.01));
}

}  // namespace tilecast
