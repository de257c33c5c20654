#include "model/predict/rough_time.h"

#include <algorithm>

#include "model/predict/candidates.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

const GpuSpec& h200() {
  static const GpuSpec gpu = load_gpu("h200_sxm", true).spec;
  return gpu;
}

GemmWork work_of(const GemmProblem& problem, const KernelConfig& kernel) {
  TrafficMemo traffic(*h200().l2, problem);
  return gemm_work(h200(), problem, kernel, traffic);
}

TEST_CASE("Hardly a kernel takes a fourteenth less than roughly, and good ones no tenth more") {
  const ReadyCorrection correction(h200().correction->analytic);
  for (const GemmShape& shape :
       {GemmShape{8192, 8192, 8192}, GemmShape{1024, 1024, 1024}, GemmShape{128, 28672, 8192},
        GemmShape{4100, 4100, 4104}, GemmShape{512, 512, 65536}}) {
    const GemmProblem problem{shape, ElementType::kFp16, Layout::kTn};
    for (const Regime regime : {Regime::kBurst, Regime::kSustained}) {
      const auto rank = [&](std::size_t keep) {
        return rank_candidates(h200(), problem, {}, regime, Inputs::kNormal, keep,
                               {.method = Method::kAnalytic})
            .predictions;
      };
      const KernelConfig near = std::get<KernelConfig>(rank(40).back().config);
      RoughTime rough(h200(), correction, problem, regime, Inputs::kNormal);
      rough.look_where(near, work_of(problem, near));
      double most = 0, least_of_good = 1;
      const std::vector<Prediction> good = rank(400);
      for (const Prediction& p : good) {
        const KernelConfig& kernel = std::get<KernelConfig>(p.config);
        const double off = rough.of(kernel, work_of(problem, kernel)) / p.time;
        most = std::max(most, off);
        if (p.time < good.front().time * 1.1) {
          least_of_good = std::min(least_of_good, off);
        }
      }
      const std::vector<KernelConfig> menu = enumerate_candidates(h200(), problem, {}).legal;
      for (std::size_t i = 0; i < menu.size(); i += 401) {
        const Prediction p =
            predict_config(h200(), problem, menu[i], regime, Inputs::kNormal, Method::kAnalytic);
        most = std::max(most, rough.of(menu[i], work_of(problem, menu[i])) / p.time);
      }
      CHECK(most < 1.075);
      CHECK(least_of_good > 0.9);
    }
  }
}

TEST_CASE("A kernel many times slower than the good one gets a bound that is below its time") {
  const ReadyCorrection correction(h200().correction->analytic);
  const GemmProblem problem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};
  const std::vector<KernelConfig> menu =
      enumerate_candidates(h200(), problem, {Schedule::kBlocked}).legal;
  const KernelConfig& slow = *std::ranges::min_element(menu, {}, [](const KernelConfig& kernel) {
    return kernel.tiling.block_m * kernel.tiling.block_n;
  });
  const Ranking ranking = rank_candidates(h200(), problem, {}, Regime::kBurst, Inputs::kNormal, 1,
                                          {.method = Method::kAnalytic});
  const KernelConfig& good = std::get<KernelConfig>(ranking.predictions.front().config);
  RoughTime rough(h200(), correction, problem, Regime::kBurst, Inputs::kNormal);
  const Seconds before = rough.of(slow, work_of(problem, slow));
  rough.look_where(good, work_of(problem, good));
  const Seconds bound = rough.of(slow, work_of(problem, slow));
  const Seconds time =
      predict_config(h200(), problem, slow, Regime::kBurst, Inputs::kNormal, Method::kAnalytic)
          .time;
  CHECK(before / time == Approx(1).epsilon(0.1));
  CHECK(bound < time * 0.7);
  CHECK(bound > ranking.predictions.front().time);
}

}  // namespace
}  // namespace tilecast
