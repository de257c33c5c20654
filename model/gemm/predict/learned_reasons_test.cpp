#include "model/gemm/predict/learned_reasons.h"

#include <cmath>

#include "model/gemm/predict/kernel_features.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

namespace tilecast {
namespace {

const GemmProblem kProblem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};

Prediction predict(const GpuSpec& gpu, Method method) {
  return predict_config(gpu, kProblem, gemm_config("ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8 r24"),
                        Regime::kBurst, Inputs::kNormal, method);
}

TEST_CASE("A prediction of a measured kernel is based on that kernel's row") {
  // One row has the prediction's own features, the other is far away in K.
  const GpuSpec plain = load_gpu("h200_sxm", false).spec;
  for (const Method method : {Method::kAnalytic, Method::kSimulated}) {
    const Prediction p = predict(plain, method);
    const KernelConfig& config = std::get<KernelConfig>(p.config);
    const GemmWork work = gemm_work(plain, kProblem, config);
    const Hertz clock = predict(plain, Method::kAnalytic).sm_clock;
    const ClosedForm form = closed_form(plain, kProblem, config, work, clock);
    const double over = p.cycles / closed_form(plain, kProblem, config, work, p.sm_clock).cycles;
    const Features own =
        kernel_features(plain, kProblem, config, work, form, clock,
                        method == Method::kSimulated
                            ? std::optional<SimulatedWork>({form.cycles * over, p.l2_output,
                                                            p.dram_read + p.dram_write, p.shares})
                            : std::nullopt,
                        Regime::kBurst)
            .values;
    Features other = own;
    other[feature_index(kGemmFeatures, "k")] += 20;
    LearnedModel model{.rows = {{"other", "b", Regime::kBurst, true, other},
                                {"itself", "a", Regime::kBurst, true, own}}};
    model.length.fill(1);
    model.noise = 0.5;
    model.analytic =
        model.simulated = {{0.1, {0.3, 0.02}, {0, 0.2}}, {0.02, {0, 0.01}, {0, 0.5}}, {}};
    GpuSpec taught = plain;
    taught.learned = std::make_shared<const LearnedModel>(model);
    const Prediction pulled = predict(taught, method);
    CHECK(pulled.cycles_correction == Approx(std::exp(0.02)).epsilon(1e-3));
    const std::vector<LearnedReason> reasons =
        learned_reasons(taught, kProblem, pulled, Regime::kBurst).nearest;
    REQUIRE(reasons.size() == 1);
    CHECK(reasons[0].row->problem == "itself");
    CHECK(reasons[0].likeness == Approx(1).epsilon(1e-3));
    CHECK(reasons[0].cycles_off == 0.02);
    CHECK(learned_reasons(plain, kProblem, p, Regime::kBurst).nearest.empty());
  }
}

}  // namespace
}  // namespace tilecast
