#include "model/rank/retime.h"

#include "tests/catch.h"

namespace tilecast {
namespace {

/// 3000 cycles at 1.5 GHz; tensor cores are busy for 1500 of them, and DRAM needs at least 0.5 us.
Prediction example() {
  return {
      .config = {},
      .method = Method::kAnalytic,
      .bounds = {.tensor = {1500}, .intake = {}, .dram = {5e-7}, .dram_peak = {5e-7}, .launch = {}},
      .cycles = {3000},
      .sm_clock = {1.5e9},
      .time = {2e-6},
      .interval_low = {1.5e-6},
      .interval_high = {3e-6},
      .closed_form_time = {2e-6},
      .tflops = 100,
      .power = {500},
      .limiter = Limiter::kTensor,
      .shares = {.tensor = 0.5, .shared_memory = 0.4, .sm_intake = 0.1, .l2 = 0.3, .dram = 0.2},
      .l2_to_sm = {},
      .dram_read = {},
      .dram_write = {},
      .l2_hit_rate = 0};
}

TEST_CASE("Time, rate, shares and interval are updated with cycles and clock") {
  Prediction p = example();
  retime({2400}, {.sm_clock = {1.2e9}, .power = {400}, .limiter = {}}, p);
  CHECK(p.time.value == Approx(2e-6));  // 2400 / 1.2e9
  CHECK(p.tflops == Approx(100));
  CHECK(p.shares.tensor == Approx(0.625));  // fraction of fewer cycles
  CHECK(p.shares.dram == Approx(0.2));      // fraction of the same time
  CHECK(p.power.value == 400);
  stretch(2, p);
  CHECK(p.time.value == Approx(4e-6));
  CHECK(p.interval_high.value == Approx(6e-6));
  CHECK(p.sm_clock.value == 1.2e9);
}

TEST_CASE("Time and interval stay above the hard bounds") {
  Prediction p = example();
  stretch(0.6, p);  // 1800 cycles; the interval begins at 1350, below the tensor bound
  CHECK(p.cycles.value == Approx(1800));
  CHECK(p.interval_low.value == Approx(1e-6));
  stretch(0.5, p);
  CHECK(p.cycles.value == Approx(1500));
  CHECK(p.time.value == Approx(1e-6));
  CHECK(p.interval_low == p.time);
  CHECK(p.tflops == Approx(200));
  set_interval(0.5, 1.5, p);
  CHECK(p.interval_low == p.time);
  CHECK(p.interval_high.value == Approx(1.5e-6));
}

}  // namespace
}  // namespace tilecast
