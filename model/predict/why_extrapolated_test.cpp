#include "model/predict/why_extrapolated.h"

#include <cmath>

#include "model/gemm/problem/group_rows.h"
#include "model/spec/learned_model.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

/// A correction of problems of these kinds with K from 256 to 512.
std::string why_of(const GemmProblem& problem, std::vector<std::string> kinds = {}) {
  LearnedModel model{.scale = std::vector<FeatureScale>(std::size(kGemmFeatures)),
                     .kinds = std::move(kinds)};
  FeatureScale& k = model.scale[feature_index(kGemmFeatures, "k")];
  k.least = std::log(256);
  k.most = std::log(512);
  GpuSpec gpu{};
  gpu.learned = std::make_shared<LearnedModel>(std::move(model));
  return why_extrapolated(gpu, problem);
}

std::string why(GemmShape shape, Epilogue epilogue = {}, i64 products = 1) {
  return why_of({shape, ElementType::kFp16, Layout::kTn, epilogue, {}, {.products = products}});
}

TEST_CASE("A K outside the measured range is named") {
  const std::string unlike = "no measured kernel is similar";
  CHECK(why({64, 128, 256}) == unlike);
  CHECK(why({4096, 1024, 512}) == unlike);
  CHECK(why({64, 128, 255}) == "K is 255 (measured: 256 to 512)");
  CHECK(why({4096, 1024, 513}) == "K is 513 (measured: 256 to 512)");
}

TEST_CASE("A feature that no measured kernel has is named first") {
  CHECK(why({64, 128, 256}, {step<ScaleBlock>()}) == "not in the training data: block scales");
  CHECK(why_of({.shape = {64, 128, 512},
                .dtype = ElementType::kE4m3,
                .layout = Layout::kTn,
                .accumulate = Accumulate::kExact}) ==
        "not in the training data: exact accumulation");
  CHECK(why({64, 128, 255}, {}, 2) ==
        "not in the training data: batches; K is 255 (measured: 256 to 512)");
}

TEST_CASE("Batches and groups are separate features") {
  GemmProblem batch{{64, 128, 256}, ElementType::kFp16, Layout::kTn};
  batch.batch.products = 2;
  const GemmProblem groups = in_groups({{0, 128, 256}, ElementType::kFp16, Layout::kTn}, {64, 64});
  const std::string unlike = "no measured kernel is similar";
  CHECK(why_of(batch, {"batches"}) == unlike);
  CHECK(why_of(groups, {"groups"}) == unlike);
  CHECK(why_of(batch, {"groups"}) == "not in the training data: batches");
  CHECK(why_of(groups, {"batches"}) == "not in the training data: groups");
}

TEST_CASE("K of fp8 is compared in pairs and printed in elements") {
  const auto fp8 = [](i64 k) { return why_of({{64, 128, k}, ElementType::kE4m3, Layout::kTn}); };
  CHECK(fp8(512) == "no measured kernel is similar");
  CHECK(fp8(496) == "K is 496 (measured: 512 to 1024)");
}

}  // namespace
}  // namespace tilecast
