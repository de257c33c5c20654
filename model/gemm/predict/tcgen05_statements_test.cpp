// Checks statements of the Gluon tutorial on persistent kernels about Blackwell, such as which
// kernel is faster, with the analytic model and the simulator. Configurations are those of its
// tables; its figures are compared in validate/compare/published_blackwell_test.cpp.
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

namespace tilecast {
namespace {

constexpr Method kMethods[] = {Method::kAnalytic, Method::kSimulated};

Prediction predicted(const char* gpu, i64 k, const std::string& config, Method method) {
  return predict_config(load_gpu(gpu, false).spec,
                        GemmProblem{{8192, 8192, k}, ElementType::kFp16, Layout::kTn},
                        gemm_config(config), Regime::kSustained, Inputs::kNormal, method);
}

double speed(Method method, const std::string& config, i64 k = 16384) {
  return predicted("gb200", k, config, method).tflops;
}

std::string pipelined(int stages) {
  return "tcgen05_pipelined:tile=128x256x64,stages=" + std::to_string(stages) +
         ",warpgroups=1x1,cta_group=1,ctas=1,inflight=0,c_slots=0,raster=grouped_m,group=64";
}

std::string persistent(const std::string& order) {
  return "tcgen05_persistent:tile=128x256x64,stages=4,warpgroups=1x1,cta_group=1,ctas=1,inflight=0,"
         "c_slots=2,raster=grouped_m," +
         order;
}

std::string specialized(int stages, int group, int accumulators, const char* grid) {
  return "tcgen05_warp_specialized:tile=128x256x64,stages=" + std::to_string(stages) +
         ",warpgroups=1x1,cta_group=" + std::to_string(group) +
         ",accumulators=" + std::to_string(accumulators) +
         ",ctas=1,inflight=1,c_slots=2,grid=" + grid + ",raster=grouped_m,group=8,walk=strided";
}

constexpr const char* kOverlap = "t5po 128x256x64 s4 w1x1 c1x1 o1 i0 e0 m8";

}  // namespace

TEST_CASE("A fourth buffer is worthwhile on Blackwell, while three suffice on Hopper") {
  for (const Method method : kMethods) {
    const auto hopper = [&](int stages) {
      return predicted("h100_sxm", 16384,
                       "pipelined:tile=128x256x64,stages=" + std::to_string(stages) +
                           ",warpgroups=2x1,ctas=1,inflight=1,c_slots=0,raster=grouped_m,group=64",
                       method)
          .tflops;
    };
    CHECK(speed(method, pipelined(4)) > 1.1 * speed(method, pipelined(3)));  // 1.115 was published
    CHECK(hopper(4) < 1.05 * hopper(3));                                     // 0.993 was published
  }
}

TEST_CASE(
    "Persistent chunks are slower than one tile per CTA; swizzle groups of eight recover that") {
  for (const Method method : kMethods) {
    const double one_tile = speed(method, pipelined(4));
    CHECK(speed(method, persistent("group=64,walk=chunked")) < one_tile);
    CHECK(speed(method, persistent("group=8,walk=strided")) > one_tile);
    // In the simulator groups of six are as good as groups of eight: 0.2 % better.
    for (const char* bands : {"1", "2", "4", "6"}) {
      CHECK(speed(method, persistent(std::string("group=") + bands + ",walk=strided")) <
            1.003 * speed(method, persistent("group=8,walk=strided")));
    }
  }
}

TEST_CASE("A pair of CTAs can feed the tensor cores, a single CTA cannot") {
  for (const Method method : kMethods) {
    const Prediction one = predicted("gb200", 16384, specialized(4, 1, 2, "resident"), method);
    const Prediction two = predicted("gb200", 16384, specialized(6, 2, 2, "resident"), method);
    // For 512 cycles of MMAs, 48 KiB are 96 B per cycle and 32 KiB are 64; an SM fills 62.4. In the
    // simulator, where no requests merge, L2's output for all SMs is the bottleneck.
    CHECK(one.limiter == (method == Method::kAnalytic ? Limiter::kSmIntake : Limiter::kL2));
    CHECK(one.shares.tensor < 0.65);
    CHECK(two.shares.tensor > 0.8);
    CHECK(two.cycles < 0.8 * one.cycles);
  }
}

TEST_CASE("Overlapping tiles helps the more the smaller K is") {
  for (const Method method : kMethods) {
    const auto gain = [&](i64 k) {
      return speed(method, kOverlap, k) / speed(method, persistent("group=8,walk=strided"), k);
    };
    double before = 1e9;
    for (i64 k = 512; k <= 16384; k *= 2) {
      const double now = gain(k);
      CHECK(now > 1);
      CHECK(now < before);
      before = now;
    }
    CHECK(gain(512) > 1.1);  // 1.20 was published
  }
}

TEST_CASE("A second accumulator hides the epilogue, most at small K") {
  for (const Method method : kMethods) {
    const auto gain = [&](int stages, int group, i64 k) {
      return speed(method, specialized(stages, group, 2, "resident"), k) /
             speed(method, specialized(stages, group, 1, "resident"), k);
    };
    // In the simulator L2 limits the loads of a single CTA, so a second accumulator helps it less
    // than a pair.
    CHECK(gain(4, 1, 512) > (method == Method::kAnalytic ? 1.09 : 1.015));
    CHECK(gain(6, 2, 512) > 1.1);
    CHECK(gain(6, 2, 512) > gain(6, 2, 2048));
    CHECK(gain(4, 1, 16384) < 1.02);
  }
}

// Known gap X4 (docs/dev/known-gaps.md): a gain of 3.9 % is published for 8192^3. The analytic
// model gives all tiles the same time and all SMs the same speed; the simulator has GPCs of unequal
// clocks, which matter only if L2 is not the bottleneck.
TEST_CASE("Tile takeover gains nothing in the analytic model, and a little in the simulator") {
  const auto gain = [](Method method, i64 k) {
    return speed(method, specialized(6, 2, 2, "takeover"), k) /
           speed(method, specialized(6, 2, 2, "resident"), k);
  };
  CHECK(gain(Method::kAnalytic, 8192) == Approx(1).epsilon(0.002));
  CHECK(gain(Method::kSimulated, 512) > 1);
  CHECK(gain(Method::kSimulated, 8192) > 1);
  CHECK(gain(Method::kSimulated, 8192) < 1.01);
}

}  // namespace tilecast
