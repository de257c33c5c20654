#include "validate/compare/screen.h"

#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"
#include "validate/record/example_measurement.h"

namespace tilecast {
namespace {

/// One simulated configuration and seven that are not, of one problem.
JoinedGroup measured_group(const GpuSpec& gpu, Seconds simulated, Seconds others) {
  JoinedGroup group{.problem = GemmProblem{{512, 512, 512}, ElementType::kFp16, Layout::kTn}};
  const Ranking ranking =
      rank_candidates(gpu, group.problem, {}, group.regime, group.inputs, 64, {});
  int left_of_simulated = 1, left_of_others = 7;
  for (const Prediction& p : ranking.predictions) {
    const bool is = p.method == Method::kSimulated;
    if ((is ? left_of_simulated : left_of_others)-- > 0) {
      group.points.push_back(
          {example_measurement(to_text(p.config), is ? simulated : others, {512, 512, 512}), p});
    }
  }
  REQUIRE(group.points.size() == 8);
  return group;
}

TEST_CASE("A problem counts as held where what is within 1 % of its best is simulated") {
  const GpuSpec gpu = load_gpu("h200_sxm", true).spec;
  const JoinedGroup best = measured_group(gpu, Seconds{4e-6}, Seconds{5e-6});
  const JoinedGroup near = measured_group(gpu, Seconds{4.03e-6}, Seconds{4e-6});
  const JoinedGroup beyond = measured_group(gpu, Seconds{4.05e-6}, Seconds{4e-6});
  const Screen screen = screen_of(gpu, {best, near, beyond}, {});
  CHECK(screen.problems == 3);
  CHECK(screen.held == 2);
  CHECK(screen.simulated >= 3);
}

TEST_CASE("Problems of few configurations, and continuous load, do not count") {
  const GpuSpec gpu = load_gpu("h200_sxm", true).spec;
  JoinedGroup few = measured_group(gpu, Seconds{4e-6}, Seconds{5e-6}), sustained = few;
  few.points.pop_back();
  sustained.regime = Regime::kSustained;
  CHECK(screen_of(gpu, {few, sustained}, {}).problems == 0);
}

}  // namespace
}  // namespace tilecast
