// Tests memory-bound kernels on GPUs with only datasheet numbers. The H200's predictions are
// compared with measurements in validate/compare/stream_error_test.cpp.
#include "model/stream/predict_stream.h"

#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "model/stream/stream_config_text.h"
#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

const StreamProblem kAddition{32768, 32768, ElementType::kFp32, Op::kElementwiseAdd};

Prediction best(const char* name) {
  const GpuSpec gpu = load_gpu(name, true).spec;
  return rank_candidates(gpu, kAddition, {}, Regime::kBurst, Inputs::kNormal, 1)
      .predictions.front();
}

}  // namespace

TEST_CASE("An uncalibrated addition takes the datasheet's DRAM time, with a wide interval") {
  // 3 x 4 B x 2^30 over the datasheet's bandwidth: 6319, 21475, 14913, 13766, 12783, 7190, 1611 us.
  for (const auto& [name, bandwidth] :
       std::initializer_list<std::pair<const char*, double>>{{"a100_sxm80", 2.039e12},
                                                             {"a10", 600e9},
                                                             {"l40s", 864e9},
                                                             {"rtx_3090", 936e9},
                                                             {"rtx_4090", 1008e9},
                                                             {"rtx_5090", 1792e9},
                                                             {"b200", 8e12}}) {
    CAPTURE(name);
    const Prediction p = best(name);
    const double least = 12.0 * (1 << 30) / bandwidth;
    CHECK(p.bounds.dram_peak.value == Approx(least));
    CHECK(p.bounds.dram > p.bounds.dram_peak);
    CHECK(p.time.value > least);
    CHECK(p.time.value < 1.2 * least);
    CHECK(p.limiter == Limiter::kDram);
    // The interval extends by the default interval in both directions, but not below the time that
    // DRAM takes.
    const double interval = load_gpu(name, true).spec.default_interval;
    CHECK(p.interval_high.value == Approx((1 + interval) * p.time.value));
    CHECK(p.interval_low.value == Approx(std::max(least, (1 - interval) * p.time.value)));
  }
}

TEST_CASE("Without TMA, its schedules are refused by name") {
  const GpuSpec ada = load_gpu("rtx_4090", true).spec;
  const StreamConfig config = parse_stream_config(
      "elementwise_add_tma:block=4x256,stages=2,warps=4,ctas=4,layout=plain,view=matrix,"
      "order=bounded,hint=none");
  CHECK(ERROR_MESSAGE(predict_config(ada, kAddition, config, Regime::kBurst, Inputs::kNormal))
            .ends_with("elementwise_add_tma requires TMA (Hopper or later)"));
  // RTX Blackwell has TMA.
  const GpuSpec rtx = load_gpu("rtx_5090", true).spec;
  CHECK(predict_config(rtx, kAddition, config, Regime::kBurst, Inputs::kNormal).time.value > 0);
}

}  // namespace tilecast
