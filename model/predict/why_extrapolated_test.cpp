#include "model/predict/why_extrapolated.h"

#include "model/spec/learned_model.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

std::string why(GemmShape shape, Epilogue epilogue = {}, i64 products = 1) {
  static const auto model = std::make_shared<LearnedModel>(LearnedModel{
      .rows = {{.problem = "64x128x256 fp16 tn"}, {.problem = "4096x1024x512 bf16 nn"}}});
  GpuSpec gpu{};
  gpu.learned = model;
  return why_extrapolated(
      gpu, {shape, ElementType::kFp16, Layout::kTn, epilogue, {}, {.products = products}});
}

TEST_CASE("A side is named where no measured kernel has one as small or as large") {
  const std::string unlike = "little resembles a measured kernel";
  CHECK(why({64, 128, 256}) == unlike);
  CHECK(why({4096, 1024, 512}) == unlike);
  CHECK(why({63, 128, 256}) == "M is 63, of measured kernels 64 to 4096");
  CHECK(why({4096, 1025, 513}) ==
        "N is 1025, of measured kernels 128 to 1024; K is 513, of measured kernels 256 to 512");
}

TEST_CASE("What no measured kernel has at all is named first") {
  CHECK(why({64, 128, 256}, {.bias = Bias::kPerColumn}) == "nothing was learned from epilogues");
  CHECK(why({64, 128, 255}, {}, 2) ==
        "nothing was learned from batches; K is 255, of measured kernels 256 to 512");
}

}  // namespace
}  // namespace tilecast
