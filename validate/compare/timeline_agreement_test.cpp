// Compares simulated timelines with the committed ones (data/h200_sxm/timelines), for every
// simulated kernel: median duration of a tile, and end of the last one. The recorded launches were
// cold. Pins the present agreement; for explanations see docs/dev/notebook/2026-11.md, The
// simulator.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/costs/occupancy.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/sim/simulate.h"
#include "tests/catch.h"
#include "tests/h200.h"
#include "validate/compare/statistics.h"
#include "validate/record/csv_text.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

const std::string kFolder = "validate/data/h200_sxm/timelines/";

struct Tiles {
  double median, last;  // in cycles
};

double number(const CsvRow& row, std::string_view column) {
  return parse_number(row.text(column)).value();
}

Tiles measured(const std::string& name) {
  const std::string path = kFolder + name + ".csv.gz";
  Values lengths;
  double last = 0;
  for (const CsvRow& row : csv_rows(read_stored_text(path), path)) {
    if (row.text("role").starts_with("warpgroup")) {
      lengths.push_back(number(row, "end") - number(row, "begin"));
      last = std::max(last, number(row, "end"));
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
  int kernels = 0, tiles_agree = 0, ends_agree = 0;
  for (const CsvRow& row : csv_rows(read_stored_text(kFolder + "kernels.csv"), "kernels.csv")) {
    const KernelConfig config = row.get("config", parse_kernel_config);
    if (splits_k(config.schedule)) {
      continue;
    }
    const auto side = [&](const char* name) { return parse_integer(row.text(name)).value(); };
    const GemmProblem problem{{side("m"), side("n"), side("k")}, ElementType::kFp16, Layout::kTn};
    const Hertz clock{number(row, "sm_clock_mhz") * 1e6};
    const Tiles card = measured(row.text("name"));
    const Tiles model = simulated(h200(), problem, config, clock);
    ++kernels;
    tiles_agree += std::abs(model.median / card.median - 1) < 0.05 ? 1 : 0;
    ends_agree += std::abs(model.last / card.last - 1) < 0.05 ? 1 : 0;
    INFO(row.text("name") << ": tile " << model.median << " " << card.median << ", end "
                          << model.last << " " << card.last);
    CHECK(std::abs(model.median / card.median - 1) < 0.3);
    CHECK(std::abs(model.last / card.last - 1) < 0.2);
  }
  CHECK(kernels >= 20);
  CHECK(kernels - tiles_agree <= 7);
  CHECK(kernels - ends_agree <= 5);
}

}  // namespace tilecast
