#include "model/predict/simulated_stream.h"

#include <algorithm>
#include <map>

#include "model/analytic/stream_occupancy.h"
#include "model/predict/explain.h"
#include "model/sim/simulate_stream.h"
#include "model/spec/load_gpu.h"
#include "model/tile/stream_config_text.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

GpuSpec h200() { return load_gpu("h200_sxm", false).spec; }

const StreamProblem kAdd{
    .rows = 4096, .columns = 4096, .dtype = ElementType::kFp32, .op = Op::kElementwiseAdd};
constexpr Effort kSimulating{.method = Method::kSimulated, .simulations = 4, .threads = 2};
constexpr Effort kClosedForms{.method = Method::kAnalytic};

Ranking rank(const StreamProblem& problem, std::size_t keep, Effort effort,
             const std::vector<AnySchedule>& schedules = {}) {
  return rank_candidates(h200(), problem, schedules, Regime::kBurst, Inputs::kNormal, keep, effort);
}

TEST_CASE("Memory-bound kernels are predicted by closed form unless asked") {
  const Ranking usual = rank(kAdd, 3, {});
  CHECK(usual.simulated == 0);
  for (const Prediction& p : usual.predictions) {
    CHECK(p.method == Method::kAnalytic);
  }
  const AnyConfig& config = usual.predictions.front().config;
  const auto predict = [&](std::optional<Method> method) {
    return predict_config(h200(), kAdd, config, Regime::kBurst, Inputs::kNormal, method);
  };
  CHECK(predict({}).method == Method::kAnalytic);
  CHECK(predict(Method::kSimulated).method == Method::kSimulated);
}

TEST_CASE(
    "A simulated memory-bound kernel has the cycles of its simulation at the clock they leave") {
  const GpuSpec gpu = h200();
  for (const StreamSchedule schedule :
       {StreamSchedule::kElementwiseAdd, StreamSchedule::kElementwiseAddTma,
        StreamSchedule::kElementwiseAddPipelined}) {
    const AnyConfig config = rank(kAdd, 1, kClosedForms, {schedule}).predictions.front().config;
    const Prediction p =
        predict_config(gpu, kAdd, config, Regime::kBurst, Inputs::kNormal, Method::kSimulated);
    const StreamConfig& stream = std::get<StreamConfig>(config);
    const Simulated kernel = simulate_stream(
        gpu, kAdd, stream, resident_stream_ctas(gpu, stream, kAdd.dtype), p.sm_clock);
    CHECK(p.cycles / kernel.cycles == Approx(1).epsilon(0.01));
    CHECK(p.time.value == Approx(p.cycles.value / p.sm_clock.value));
    // Two matrices of 4096 x 4096 elements of four bytes are read, one is written.
    CHECK(p.dram_read.value == 2.0 * 4096 * 4096 * 4);
    CHECK(p.dram_write.value == 1.0 * 4096 * 4096 * 4);
    CHECK(p.closed_form_time != p.time);
    // One addition for each element of C.
    CHECK(p.tflops == Approx(4096.0 * 4096 / p.time.value * 1e-12));
    const ChipWork work = stream_work(kernel, {}, kernel.cycles);
    CHECK(work.dram.value == 3.0 * 4096 * 4096 * 4);
    CHECK(work.dram == work.l2);
  }
}

TEST_CASE("The best memory-bound candidates are simulated, the others stretched as they are") {
  const Ranking ranking = rank(kAdd, 20, kSimulating);
  CHECK(ranking.simulated >= 4);
  CHECK(ranking.predictions.size() == 20);
  CHECK(std::ranges::is_sorted(ranking.predictions, {}, &Prediction::time));
  CHECK(ranking.predictions.front().method == Method::kSimulated);
  std::map<AnySchedule, double> scales;
  for (const Prediction& p : ranking.predictions) {
    const Prediction alone =
        predict_config(h200(), kAdd, p.config, Regime::kBurst, Inputs::kNormal, p.method);
    if (p.method == Method::kSimulated) {
      CHECK(p.time.value == Approx(alone.time.value).epsilon(1e-9));
    } else {  // as all of its schedule
      const auto [scale, is_new] = scales.try_emplace(schedule_of(p.config), p.time / alone.time);
      CHECK(p.time / alone.time == Approx(scale->second).epsilon(1e-9));
    }
  }
  Effort alone = kSimulating;
  alone.threads = 1;
  CHECK(rank(kAdd, 20, alone).closed_form_scale == ranking.closed_form_scale);
}

TEST_CASE("A simulated memory-bound kernel is watched, and its limiter is what it saves most by") {
  const AnyConfig config =
      parse_config("memcpy_tma:block=1x4096,stages=2,warps=1,ctas=4,order=strided,hint=none");
  const StreamProblem problem{
      .rows = 1, .columns = i64{1} << 24, .dtype = ElementType::kFp16, .op = Op::kMemcpy};
  const auto explained = [&](Effort effort) {
    return explain(h200(), problem, config, Regime::kBurst, Inputs::kNormal, effort);
  };
  const Explanation e = explained(kSimulating);
  CHECK(e.predicted.method == Method::kSimulated);
  CHECK(e.closed_form.method == Method::kAnalytic);
  CHECK(e.predicted.limiter == Limiter::kDram);
  CHECK(e.without.front().part == Limiter::kDram);
  REQUIRE(e.watched);
  CHECK_FALSE(e.watched->time);
  // 2^24 elements in blocks of 4096, each stored once.
  CHECK(timeline(h200(), problem, config, e.predicted.sm_clock).size() == 4096);
  CHECK(e.watched->sm_intake.value == 2.0 * (1 << 24));
  CHECK(e.watched->median_tile > Seconds{});
  double dram = 0;
  for (const Phase& phase : e.watched->phases) {
    CHECK(phase.busy.tensor == 0);
    CHECK(phase.busy.dram <= 1);
    dram = std::max(dram, phase.busy.dram);
  }
  CHECK(dram > 0.8);
  // Nobody asked: by closed form.
  const Explanation usual = explained({});
  CHECK(usual.predicted.method == Method::kAnalytic);
  CHECK_FALSE(usual.watched);
  CHECK(usual.without.front().part == Limiter::kDram);
}

}  // namespace
}  // namespace tilecast
