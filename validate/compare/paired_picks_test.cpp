#include "validate/compare/paired_picks.h"

#include "tests/catch.h"
#include "validate/compare/example_points.h"

namespace tilecast {
namespace {

constexpr GemmShape kOther{8192, 8192, 8192};
constexpr GemmShape kThird{512, 512, 512};

/// The pick is config 1 by time, config 2 by cycles, config 1 by the analytic model.
Prediction first_by_time(const AnyProblem&, const AnyConfig& config, Regime, Inputs) {
  const bool first = std::get<KernelConfig>(config).tiling.stages == 1;
  Prediction p{};
  p.config = config;
  p.time = p.closed_form_time = Seconds{first ? 1.0 : 2.0};
  p.cycles = Cycles{first ? 2.0 : 1.0};
  return p;
}

/// In the three shapes config 1 takes 4, 4, 6 us and config 2 5, 8, 3 us; the picks reach 1, 1, 0.5
/// of the best, config 2 0.8, 0.5, 1. Only the first shape has cuBLASLt, whose top-1 takes 8 us and
/// whose best takes 6.
std::vector<JoinedGroup> example_groups() {
  return join_points(
             {example_file({example_row(1, Seconds{4}), example_row(2, Seconds{5}),
                            example_row(1, Seconds{4}, kOther), example_row(2, Seconds{8}, kOther),
                            example_row(1, Seconds{6}, kThird), example_row(2, Seconds{3}, kThird),
                            example_cublaslt_row(kCublasltTop1, Seconds{8}),
                            example_cublaslt_row(kCublasltBest, Seconds{6})})},
             first_by_time, {"h200_sxm"})
      .groups;
}

TEST_CASE("Picks are compared in the same shapes") {
  const std::vector<PairedFigures> all = paired_picks(example_groups(), to_text(example_config(2)));
  REQUIRE(all.size() == 4);
  const PairedFigures& cycles = all[0];
  CHECK(cycles.against == "pick_by_cycles");
  CHECK(cycles.groups == 3);
  CHECK(cycles.better == 2);
  CHECK(cycles.worse == 1);
  CHECK(cycles.ratio == Approx(1.0772173));  // the cube root of 1.25 x 2 x 0.5
  // Ranks 1, 2.5 and -2.5: four of the eight sign assignments give 3.5 or more.
  CHECK(cycles.p == Approx(1));
  CHECK(all[1].against == "closed_form");
  CHECK(all[1].ratio == Approx(1));  // the same picks as by time
  CHECK(all[1].better + all[1].worse == 0);
  CHECK(all[1].p == 1);
  CHECK(all[2].against == "fixed_tiling");
  CHECK(all[2].ratio == Approx(1.0772173));
  CHECK(all[3].against == "cublaslt_top1");
  CHECK(all[3].groups == 1);
  CHECK(all[3].ratio == Approx(4.0 / 3));  // 1 over 6 / 8
}

TEST_CASE("A difference that is the same in six shapes is significant") {
  std::vector<Measurement> rows;
  for (i64 k = 1; k <= 6; ++k) {
    rows.push_back(example_row(1, Seconds{4}, {512, 512, 64 * k}));
    rows.push_back(example_row(2, Seconds{4.0 + static_cast<double>(k)}, {512, 512, 64 * k}));
  }
  const JoinedData data = join_points({example_file(rows)}, first_by_time, {"h200_sxm"});
  const PairedFigures cycles = paired_picks(data.groups, "").front();
  CHECK(cycles.better == 6);
  CHECK(cycles.p == Approx(0.03125));  // two of 64 sign assignments
}

TEST_CASE("Without a choice, or without the other method's pick, there is no test") {
  CHECK(paired_picks({}, "").empty());
  const JoinedData one =
      join_points({example_file({example_row(1, Seconds{1})})}, first_by_time, {"h200_sxm"});
  CHECK(paired_picks(one.groups, to_text(example_config(1))).empty());
  std::vector<JoinedGroup> groups = example_groups();
  for (JoinedGroup& group : groups) {
    group.baselines.erase(std::string(kCublasltBest));
  }
  CHECK(paired_picks(groups, "none").size() == 2);  // only by cycles and by the analytic model
}

}  // namespace
}  // namespace tilecast
