#include "validate/calibrate/fit_attention.h"

#include "model/attention/attention_model.h"
#include "model/attention/attention_text.h"
#include "model/ops/problem_fields.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "validate/calibrate/example_rows.h"

namespace tilecast {
namespace {

constexpr unsigned kThreads = 2;

const LoadedGpu& h200() {
  static const LoadedGpu gpu = load_gpu("h200_sxm", false);
  return gpu;
}

/// Rows of a GPU with these constants, whose kernels take `factor` times the cycles.
template <class Factor>
MeasurementFile rows_of(const GpuSpec& gpu, std::size_t configs, const Factor& factor) {
  std::vector<Measurement> rows;
  for (const char* shape :
       {"2x16x1024x1024x128", "2x16x2048x2048x64", "4x8x1024x1024x256", "1x32:8x1x4096x128",
        "16x32:8x1x2048x128", "64x8:1x1x1024x64", "1x16x4096x4096x128", "8x16x512x512x64",
        "2x32:8x1x16384x128", "32x16x1x512x128"}) {
    const AnyProblem any = problem_of(Op::kAttention, shape, ElementType::kBf16, {});
    const AttentionProblem& problem = std::get<AttentionProblem>(any);
    const std::vector<AttentionConfig> legal = enumerate_candidates(gpu, problem, {}).legal;
    for (std::size_t i = 0; i < configs; ++i) {
      const AttentionConfig& config = legal[(i * legal.size() + legal.size() / 2) / configs];
      AttentionPlans plans(gpu, problem);
      const AttentionPlan& plan = plans.of(config);
      const AttentionQuestion question{gpu, problem, Regime::kBurst, Inputs::kNormal};
      const auto [form, clock] = settled_form(question, config, plan);
      const Cycles cycles = form.cycles * factor(config);
      const auto settled = settled_cycles(
          gpu, form.activity, clock.sm_clock, Regime::kBurst, Inputs::kNormal, [&](Hertz f) {
            return closed_form(gpu, problem, config, plan, f).cycles * factor(config);
          });
      Measurement m = example_measurement(to_text(config), time_of(cycles, settled.clock.sm_clock));
      m.context.gpu = gpu.name;
      m.point.problem = problem;
      m.point.regime = Regime::kBurst;
      m.cycles = settled.form;
      m.sm_clock = settled.clock.sm_clock;
      rows.push_back(m);
    }
  }
  return file_of(rows);
}

double as_modelled(const AttentionConfig&) { return 1; }

TEST_CASE("Constants of attention are found again in rows that they made") {
  GpuSpec other = h200().spec;
  other.attention->block = other.attention->block * 1.3;
  other.attention->slots *= 1.2;
  other.attention->cluster_rows = other.attention->cluster_rows * 1.4;
  LoadedGpu gpu = h200();
  const AttentionFit fit =
      fit_attention(gpu, {rows_of(other, 32, as_modelled)}, true, kThreads, [](const auto&) {});
  CHECK(fit.rows == 320);
  CHECK(fit.problems == 10);
  CHECK(fit.error_before > 0.02);
  CHECK(fit.error_after < 0.003);
  CHECK(gpu.spec.attention->block / other.attention->block == Approx(1).epsilon(0.03));
  CHECK(gpu.spec.attention->slots == Approx(other.attention->slots).epsilon(0.03));
}

TEST_CASE("A residual of attention explained by a feature is corrected on held-out problems") {
  LoadedGpu gpu = h200();
  const AttentionSpec before = *gpu.spec.attention;
  const AttentionFit fit = fit_attention(
      gpu,
      {rows_of(gpu.spec, 32, [](const AttentionConfig& c) { return c.stages == 1 ? 1.2 : 1.0; })},
      false, kThreads, [](const auto&) {});
  CHECK(fit.constants.empty());
  CHECK(gpu.spec.attention->block.value == before.block.value);
  CHECK(fit.learned.analytic.cycles_without > 0.02);
  CHECK(fit.learned.analytic.cycles < 0.3 * fit.learned.analytic.cycles_without);
  REQUIRE(gpu.spec.attention_learned != nullptr);
  CHECK(gpu.spec.attention_learned->features.size() == std::size(kAttentionFeatures));
}

TEST_CASE("A fit of attention needs rows, and a section to start from") {
  const MeasurementFile few = rows_of(h200().spec, 3, as_modelled);
  const auto why = [&](LoadedGpu gpu) {
    return ERROR_MESSAGE(fit_attention(gpu, {few}, true, kThreads, [](const auto&) {}));
  };
  CHECK(contains(why(h200()), "expected at least 300 measured attention kernels, got 30"));
  LoadedGpu without = h200();
  without.spec.attention.reset();
  CHECK(contains(why(without), "has no section `attention`"));
}

}  // namespace
}  // namespace tilecast
