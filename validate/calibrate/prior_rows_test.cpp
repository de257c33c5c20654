#include "validate/calibrate/prior_rows.h"

#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "validate/calibrate/example_rows.h"

namespace tilecast {
namespace {

/// Two problems of twelve kernels, 256x4096x512 and 4096x512x4096.
LearnRows own_rows() {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  return learn_rows(fit_rows(gpu, {file_of(example_gemm_rows(gpu, 0, 2, 12, as_predicted))}, 1));
}

LearnedRow row_of(const std::string& problem, const std::string& config, Regime regime) {
  return {
      .problem = problem, .config = config, .regime = regime, .near_best = false, .features = {}};
}

TEST_CASE("A prior's rows are in the fold of their problem, for any type") {
  LearnedModel model;
  for (const char* problem :
       {"64x64x64 fp16 tn", "4096x512x4096 bf16 nn", "256x4096x512 fp16 tn"}) {
    model.rows.push_back(row_of(problem, "ping_pong:tile=64x128x64,stages=4", Regime::kBurst));
  }
  const PriorRows prior = prior_rows(model, own_rows(), 10);
  REQUIRE(prior.count() == 3);
  CHECK(prior.group == std::vector<int>{-1, 1, 0});
  CHECK(prior.place == std::vector<std::size_t>{0, 1, 2});
  CHECK(prior.rows[2] == &model.rows[2]);
}

TEST_CASE("A prior's row is dropped if the kernel was measured here in the same regime") {
  const LearnRows own = own_rows();
  const std::string config = own.rows[0].point.config;
  REQUIRE(own.rows[0].point.regime == Regime::kBurst);
  LearnedModel model;
  model.rows = {row_of("256x4096x512 fp16 tn", config, Regime::kBurst),
                row_of("256x4096x512 fp16 tn", config, Regime::kSustained),
                row_of("256x4096x512 bf16 tn", config, Regime::kBurst)};
  CHECK(prior_rows(model, own, 10).place == std::vector<std::size_t>{1, 2});
}

TEST_CASE("A prior's own prior is omitted, and rows are limited to the free slots") {
  LearnedModel model;
  for (int i = 0; i < 50; ++i) {
    model.rows.push_back(row_of("64x64x64 fp16 tn", std::to_string(i), Regime::kBurst));
  }
  model.prior = {"h200_sxm", 20, 4};
  const PriorRows all = prior_rows(model, own_rows(), 100);
  CHECK(all.count() == 30);
  CHECK(all.place.back() == 29);
  const PriorRows some = prior_rows(model, own_rows(), 7);
  CHECK(some.count() == 7);
  CHECK(std::ranges::is_sorted(some.place));
  CHECK(prior_rows(model, own_rows(), 7).place == some.place);  // the same rows each time
  CHECK(prior_rows(model, own_rows(), 0).count() == 0);
}

}  // namespace
}  // namespace tilecast
