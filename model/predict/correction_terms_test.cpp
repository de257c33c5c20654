#include "model/predict/correction_terms.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

constexpr std::size_t kFeatures = kCorrectionFeatures.size();

LinearCorrection plain_scale() {
  LinearCorrection scale;
  scale.feature_mean.assign(kFeatures, 0);
  scale.feature_spread.assign(kFeatures, 1);
  scale.weight.assign(correction_term_count(), 0);
  scale.term_mean.assign(correction_term_count(), 0);
  return scale;
}

std::vector<double> terms_of(const LinearCorrection& scale, const Features& features,
                             Schedule schedule) {
  std::vector<double> terms(correction_term_count(), -1);
  correction_terms(scale, features, schedule, terms);
  return terms;
}

std::size_t feature(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(kCorrectionFeatures, name) -
                                  kCorrectionFeatures.begin());
}

TEST_CASE("There are as many terms as features, squares, products and schedules' slopes") {
  // 26 features: 26 + 26 squares + 26 * 25 / 2 products; 12 schedules with a constant and 26
  // slopes.
  CHECK(correction_term_count() == 26 + 26 + 325 + 12 * 27);
  Features ones;
  ones.fill(1);
  const std::vector<double> terms = terms_of(plain_scale(), ones, Schedule::kPingPong);
  // A square and a product count half, a slope 0.7, and only those of the schedule are not 0.
  CHECK(std::ranges::count(terms, 1.0) == 26 + 1);
  CHECK(std::ranges::count(terms, 0.5) == 26 + 325);
  CHECK(std::ranges::count(terms, 0.7) == 26);
  CHECK(std::ranges::count(terms, 0.0) == 11 * 27);
}

TEST_CASE("A schedule that a correction does not know has only what all have") {
  Features ones;
  ones.fill(1);
  const std::vector<double> terms = terms_of(plain_scale(), ones, Schedule::kTcgen05Persistent);
  CHECK(std::ranges::count(terms, 0.0) == 12 * 27);
}

TEST_CASE("Features lose their mean and are counted in spreads, of which three are kept") {
  LinearCorrection scale = plain_scale();
  scale.feature_mean[0] = 10;
  scale.feature_spread[0] = 2;
  const auto first = [&](double value) {
    Features features{};
    features[0] = value;
    return terms_of(scale, features, Schedule::kBlocked)[0];
  };
  CHECK(first(11) == 0.5);
  CHECK(first(15.9) == Approx(2.95));
  CHECK(first(16.1) == 3);
  CHECK(first(-1000) == -3);
}

TEST_CASE("A correction is its weights times the terms, within what it may say") {
  // 0.1 + 0.2 (1 - 0.25) of the first feature, and 0.3 * 0.5 * 1 of its square: 0.4.
  LinearCorrection correction = plain_scale();
  correction.constant = 0.1;
  correction.weight[0] = 0.2;
  correction.term_mean[0] = 0.25;
  correction.weight[1] = 0.3;
  Features features{};
  features[0] = 1;
  CHECK(corrected_log(correction, features, Schedule::kBlocked, 1) == Approx(0.4));
  CHECK(corrected_log(correction, features, Schedule::kBlocked, 0.39) == 0.39);
  correction.constant = -2;
  CHECK(corrected_log(correction, features, Schedule::kBlocked, 0.39) == -0.39);
}

TEST_CASE("A folded correction says what weights times terms say, of any schedule") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> value(-1, 1);
  LinearCorrection correction = plain_scale();
  for (std::vector<double>* numbers :
       {&correction.feature_mean, &correction.weight, &correction.term_mean}) {
    std::ranges::generate(*numbers, [&] { return value(random); });
  }
  const FoldedCorrection folded(correction);
  for (const Schedule schedule : {Schedule::kBlocked, Schedule::kPingPong, Schedule::kStreamKHybrid,
                                  Schedule::kTcgen05Persistent}) {
    Features features;
    std::ranges::generate(features, [&] { return 2 * value(random); });
    const std::vector<double> terms = terms_of(correction, features, schedule);
    double sum = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      sum += correction.weight[i] * (terms[i] - correction.term_mean[i]);
    }
    CHECK(folded.log_of(features, schedule, 1e3) == Approx(sum));
  }
}

TEST_CASE("Features are what their names say") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const GemmProblem problem{{4096, 4100, 4080}, ElementType::kFp16, Layout::kTn};
  const KernelConfig config = parse_kernel_config(
      "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
      "c_slots=2,producer=24,grid=resident,raster=grouped_m,group=8,walk=strided");
  TrafficMemo traffic(*gpu.l2, problem);
  const GemmWork work = gemm_work(gpu, problem, config, traffic);
  const Hertz clock{1.5e9};
  const ClosedForm form = closed_form(gpu, problem, config, work, clock);
  const auto of = [&](std::string_view name, Cycles simulated = {},
                      Regime regime = Regime::kBurst) {
    return correction_features(problem, config, work, form, clock, simulated,
                               regime)[feature(name)];
  };
  CHECK(of("simulated_over_closed_form") == 0);
  CHECK(of("simulated_over_closed_form", form.cycles * 2) == Approx(std::log(2)));
  CHECK(of("sustained") == 0);
  CHECK(of("sustained", {}, Regime::kSustained) == 1);
  CHECK(of("block_n") == 8);
  CHECK(of("stages") == 2);
  CHECK(of("cluster") == 1);
  CHECK(of("warpgroups") == 2);
  CHECK(of("k_blocks") == Approx(std::log(64)));
  CHECK(of("row_alignment") == 2);      // 8160 bytes: an odd multiple of 32
  CHECK(of("plain_stores") == 1);       // 8200 bytes of a row of C: no multiple of 16
  CHECK(of("wgmmas_of_k_block") == 2);  // of a warpgroup: one m64n256k16 at each of four k16
  CHECK(of("beyond_the_edge") == Approx(1 - 4100.0 / (17 * 256)));
  CHECK(of("time") == Approx(std::log(form.cycles.value / 1.5e9)));
  for (const std::string_view share : {"main_loop_share", "dram_share", "ends_share"}) {
    CHECK(of(share) > 0);
    CHECK(of(share) < 1);
  }
}

}  // namespace
}  // namespace tilecast
