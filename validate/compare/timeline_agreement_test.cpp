// Simulated timelines compared with the committed ones (data/h200_sxm/timelines), for every
// simulated kernel: median duration of a tile, and end of the last one. The recorded launches were
// cold. Pins the present agreement; for the rest: docs/dev/notebook/2026-11.md, The simulator.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/costs/occupancy.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/sim/simulate.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "validate/compare/statistics.h"
#include "validate/record/csv_text.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

const std::string kFolder = "validate/data/h200_sxm/timelines/";

struct Tiles {
  double median, last;  // in cycles
};

std::size_t column(const CsvText& csv, const char* title) {
  const std::vector<std::string>& header = csv.records.front().fields;
  return static_cast<std::size_t>(std::find(header.begin(), header.end(), title) - header.begin());
}

double number(const std::string& text) { return parse_number(text).value(); }

Tiles measured(const std::string& name) {
  const std::string path = kFolder + name + ".csv.gz";
  const CsvText csv = parse_csv(read_stored_text(path), path);
  const std::size_t role = column(csv, "role"), begin = column(csv, "begin"),
                    end = column(csv, "end");
  Values lengths;
  double last = 0;
  for (std::size_t row = 1; row < csv.records.size(); ++row) {
    const std::vector<std::string>& fields = csv.records[row].fields;
    if (fields[role].starts_with("warpgroup")) {
      lengths.push_back(number(fields[end]) - number(fields[begin]));
      last = std::max(last, number(fields[end]));
    }
  }
  return {median(lengths), last};
}

Tiles simulated(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                Hertz clock) {
  std::vector<TileSpan> spans;
  simulate_gemm(gpu, problem, config,
                {resident_ctas(gpu, config), resident_workers(gpu, config), true}, clock,
                {.tiles = &spans});
  const auto cycles = [&](Picoseconds time) { return cycles_of(seconds_of(time), clock).value; };
  Values lengths;
  double last = 0;
  for (const TileSpan& span : spans) {
    if (span.role == TileRole::kMultiplies) {
      lengths.push_back(cycles(span.stored) - cycles(span.begin));
      last = std::max(last, cycles(span.stored));
    }
  }
  return {median(lengths), last};
}

}  // namespace

TEST_CASE("The number of recorded timelines that the simulator matches does not fall") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const CsvText csv = parse_csv(read_stored_text(kFolder + "kernels.csv"), "kernels.csv");
  int kernels = 0, tiles_agree = 0, ends_agree = 0;
  for (std::size_t row = 1; row < csv.records.size(); ++row) {
    const std::vector<std::string>& f = csv.records[row].fields;
    const KernelConfig config = parse_kernel_config(f[column(csv, "config")]);
    if (splits_k(config.schedule)) {
      continue;
    }
    const auto side = [&](const char* name) { return parse_integer(f[column(csv, name)]).value(); };
    const GemmProblem problem{{side("m"), side("n"), side("k")}, ElementType::kFp16, Layout::kTn};
    const Hertz clock{number(f[column(csv, "sm_clock_mhz")]) * 1e6};
    const Tiles card = measured(f[column(csv, "name")]);
    const Tiles model = simulated(gpu, problem, config, clock);
    ++kernels;
    tiles_agree += std::abs(model.median / card.median - 1) < 0.05 ? 1 : 0;
    ends_agree += std::abs(model.last / card.last - 1) < 0.05 ? 1 : 0;
    INFO(f[0] << ": tile " << model.median << " " << card.median << ", end " << model.last << " "
              << card.last);
    CHECK(std::abs(model.median / card.median - 1) < 0.3);
    CHECK(std::abs(model.last / card.last - 1) < 0.2);
  }
  CHECK(kernels >= 20);
  CHECK(kernels - tiles_agree <= 7);
  CHECK(kernels - ends_agree <= 5);
}

}  // namespace tilecast
