#include "validate/calibrate/design_points.h"

#include <algorithm>
#include <set>

#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/menu/legality.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

TEST_CASE("Every GPU that runs kernels with mma.sync alone has enough legal points for a fit") {
  for (const char* const name : {"a100_sxm80", "rtx_3090", "l40s", "rtx_5090"}) {
    const GpuSpec gpu = load_gpu(name, false).spec;
    const std::vector<ListedPoint> points = design_points(gpu);
    CAPTURE(name, points.size());
    CHECK(points.size() >= 600);  // of 64 problems with 13 kernels, if they are not too slow
    CHECK(points.size() <= 64 * 13);
    std::set<std::string> problems;
    bool fp8 = false, splits = false;
    for (const ListedPoint& point : points) {
      const GemmProblem& problem = std::get<GemmProblem>(point.point.problem);
      const KernelConfig config = parse_kernel_config(point.point.config);
      CHECK(check_legal(gpu, problem, config) == Refusal::kNone);
      problems.insert(to_text(point.point.problem));
      fp8 |= is_fp8(problem.dtype);
      splits |= splits_k(config.schedule);
    }
    CHECK(problems.size() >= 50);
    CHECK(splits);
    CHECK(fp8 == (gpu.architecture != Architecture::kAmpere));
    const auto sustained = std::ranges::count(points, Regime::kSustained,
                                              [](const auto& p) { return p.point.regime; });
    CHECK(sustained > 30);  // one in twelve, for the sustained clock
    CHECK(sustained < 110);
  }
}

}  // namespace
}  // namespace tilecast
