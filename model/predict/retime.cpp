#include "model/predict/retime.h"

#include <algorithm>
#include <variant>

namespace tilecast {

void set_interval(double low, double high, Prediction& p) {
  p.interval_low = std::max(p.time * low, p.bounds.least_time(p.sm_clock));
  p.interval_high = p.time * high;
}

void set_default_interval(const GpuSpec& gpu, Prediction& p) {
  const bool memory_bound = std::holds_alternative<StreamConfig>(p.config) && gpu.stream;
  const double each_way = memory_bound ? gpu.stream->interval : gpu.default_interval;
  set_interval(1 - each_way, 1 + each_way, p);
}

void retime(Cycles cycles, const ClockState& clock, Prediction& p) {
  const Seconds least = p.bounds.least_time(clock.sm_clock);
  cycles = std::max(cycles, cycles_of(least, clock.sm_clock));
  const Seconds time = std::max(time_of(cycles, clock.sm_clock), least);
  const double longer = time / p.time;
  p.sm_clock = clock.sm_clock;
  p.power = clock.power;
  for (double* share : {&p.shares.tensor, &p.shares.shared_memory, &p.shares.sm_intake}) {
    *share = std::min(1.0, *share * (p.cycles / cycles));
  }
  for (double* share : {&p.shares.l2, &p.shares.dram}) {
    *share = std::min(1.0, *share / longer);
  }
  p.cycles = cycles;
  p.time = time;
  p.interval_low = std::max(p.interval_low * longer, least);
  p.interval_high = p.interval_high * longer;
  p.tflops /= longer;
}

void settle(const GpuSpec& gpu, Flops work, const ClockState& clock, Prediction& p) {
  p.method = Method::kAnalytic;
  p.sm_clock = clock.sm_clock;
  p.time = time_of(p.cycles, clock.sm_clock);
  p.tflops = work.value / p.time.value * 1e-12;
  p.l2_hit_rate = 1 - p.dram_read / p.l2_to_sm;
  set_default_interval(gpu, p);
  retime(p.cycles, clock, p);
  p.closed_form_time = p.time;
}

void stretch(double factor, Prediction& p) {
  retime(p.cycles * factor, {.sm_clock = p.sm_clock, .power = p.power, .limiter = {}}, p);
}

}  // namespace tilecast
