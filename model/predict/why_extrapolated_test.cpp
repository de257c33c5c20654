#include "model/predict/why_extrapolated.h"

#include "model/gemm/problem/group_rows.h"
#include "model/spec/learned_model.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

std::string why_of(const GemmProblem& problem, std::vector<LearnedRow> more = {}) {
  more.push_back({.problem = "64x128x256 fp16 tn"});
  more.push_back({.problem = "4096x1024x512 bf16 nn"});
  GpuSpec gpu{};
  gpu.learned = std::make_shared<LearnedModel>(LearnedModel{.rows = std::move(more)});
  return why_extrapolated(gpu, problem);
}

std::string why(GemmShape shape, Epilogue epilogue = {}, i64 products = 1) {
  return why_of({shape, ElementType::kFp16, Layout::kTn, epilogue, {}, {.products = products}});
}

TEST_CASE("A dimension outside the measured range is named") {
  const std::string unlike = "no measured kernel is similar";
  CHECK(why({64, 128, 256}) == unlike);
  CHECK(why({4096, 1024, 512}) == unlike);
  CHECK(why({63, 128, 256}) == "M is 63 (measured: 64 to 4096)");
  CHECK(why({4096, 1025, 513}) ==
        "N is 1025 (measured: 128 to 1024); K is 513 (measured: 256 to 512)");
}

TEST_CASE("A feature that no measured kernel has is named first") {
  CHECK(why({64, 128, 256}, {step<ScaleBlock>()}) == "block scales were not in the training data");
  CHECK(why_of({.shape = {64, 128, 512},
                .dtype = ElementType::kE4m3,
                .layout = Layout::kTn,
                .accumulate = Accumulate::kExact}) ==
        "exact accumulation was not in the training data");
  CHECK(why({64, 128, 255}, {}, 2) ==
        "batches were not in the training data; K is 255 (measured: 256 to 512)");
}

TEST_CASE("Batches and groups are separate features") {
  GemmProblem batch{{64, 128, 256}, ElementType::kFp16, Layout::kTn};
  batch.batch.products = 2;
  const GemmProblem groups = in_groups({{0, 128, 256}, ElementType::kFp16, Layout::kTn}, {64, 64});
  const std::string unlike = "no measured kernel is similar";
  CHECK(why_of(batch, {{.problem = "2*64x128x256 fp16 tn"}}) == unlike);
  CHECK(why_of(groups, {{.problem = "[2*64]x128x256 bf16 tn"}}) == unlike);
  CHECK(why_of(batch, {{.problem = "[2*64]x128x256 bf16 tn"}}) ==
        "batches were not in the training data");
  CHECK(why_of(groups, {{.problem = "2*64x128x256 fp16 tn"}}) ==
        "groups were not in the training data");
}

TEST_CASE("K of fp8 is compared in pairs and printed in elements") {
  const auto fp8 = [](i64 k) { return why_of({{64, 128, k}, ElementType::kE4m3, Layout::kTn}); };
  CHECK(fp8(512) == "no measured kernel is similar");
  CHECK(fp8(496) == "K is 496 (measured: 512 to 1024)");
  CHECK(why_of({{64, 128, 128}, ElementType::kFp16, Layout::kTn},
               {{.problem = "64x128x256 e4m3 tn"}}) == "no measured kernel is similar");
}

}  // namespace
}  // namespace tilecast
