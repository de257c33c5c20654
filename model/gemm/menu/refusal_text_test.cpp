#include "model/gemm/menu/legality.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

namespace tilecast {
namespace {

const GemmProblem kProblem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};

std::string refusal_of(const std::string& text) {
  static const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const KernelConfig config = gemm_config(text);
  return why_not_legal(gpu, kProblem, config);
}

TEST_CASE("A refusal names the one key to change, and its largest legal value") {
  // A stage of 128x256x64 is (128 + 256) x 64 x 2 B = 48 KiB: four fit in 227 KiB, five do not.
  CHECK(refusal_of("pi 128x256x64 s9 w2x1 c1x1 o1 i1 e0 m8") ==
        "its stages and C do not fit in shared memory; needs at most 4 stages");
  CHECK(
      refusal_of("pi 128x256x64 s4 w2x1 c1x1 o7 i1 e0 m8").ends_with("; needs ctas of at most 1"));
  CHECK(refusal_of("pi 128x256x64 s2 w2x1 c1x1 o1 i2 e0 m8") ==
        "inflight=2 requires more than 2 stages; needs inflight of at most 1");
}

TEST_CASE("small_mma reports that a problem has more than one tile") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const KernelConfig config = gemm_config("sm 128x128x64 s1 w2x1 c1x1 o1 i0 e0 m1 ss in128");
  const auto why = [&](const GemmShape& shape, i64 products) {
    const GemmProblem problem{shape, ElementType::kFp16, Layout::kTn, {}, {}, {products}};
    return why_not_legal(gpu, problem, config);
  };
  CHECK(why({128, 128, 64}, 1).empty());
  CHECK(why({128, 128, 64}, 2) == "small_mma computes one GEMM, not a batch of 2");
  CHECK(why({128, 128, 72}, 1) ==
        "small_mma computes one tile with one K block, and the problem is larger");
}

TEST_CASE("The refusal of an odd multiple of eight columns lists the requirements") {
  CHECK(refusal_of("bl 128x168x64 s1 w2x1 c1x1 o1 i0 e1 m8") ==
        "warpgroups of 168 columns, an odd multiple of 8, require 24 to 248 columns, B as [N,K], a "
        "schedule with a ring, and K blocks of whole 64 elements");
}

TEST_CASE("A refusal that no single change can lift is the reason alone") {
  CHECK(refusal_of("pi 100x256x64 s4 w2x1 c1x1 o1 i1 e0 m8") ==
        "the tile does not consist of whole wgmma instructions");
}

}  // namespace
}  // namespace tilecast
