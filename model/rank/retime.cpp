#include "model/rank/retime.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilecast {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

}  // namespace

void set_dram_bytes(const GpuSpec& gpu, Bytes read, Bytes written, Prediction& p) {
  p.dram_read = read;
  p.dram_write = written;
  p.bounds.dram = std::max(p.bounds.dram, transfer_time(read + written, highest_dram_rate(gpu)));
}

void set_interval(double low, double high, Prediction& p) {
  p.interval_low = std::max(p.time * low, p.bounds.least_on_any_card(p.sm_clock));
  p.interval_high = p.time * high;
}

void set_default_interval(const GpuSpec& gpu, Prediction& p) {
  set_interval(1 - gpu.default_interval, 1 + gpu.default_interval, p);
}

double clamped(std::string_view what, double least, double value, double most, Prediction& p) {
  constexpr double kRounding = 1e-9;
  const double inside = std::clamp(value, least, most);
  if (std::abs(value - inside) > kRounding * std::abs(inside) &&
      std::ranges::find(p.clamped, what) == p.clamped.end()) {
    p.clamped.push_back(what);
  }
  return inside;
}

void hold_shares(Prediction& p) {
  const auto hold = [&p](std::string_view what, double& share) {
    share = clamped(what, 0, share, 1, p);
  };
  hold("share of tensor", p.shares.tensor);
  hold("share of shared_memory", p.shares.shared_memory);
  hold("share of sm_intake", p.shares.sm_intake);
  hold("share of l2", p.shares.l2);
  hold("share of dram", p.shares.dram);
}

void retime(Cycles cycles, const ClockState& clock, Prediction& p) {
  const Seconds least = p.bounds.least_time(clock.sm_clock);
  const Seconds time{
      clamped("time", least.value, time_of(cycles, clock.sm_clock).value, kNoLimit, p)};
  cycles = std::max(cycles, cycles_of(time, clock.sm_clock));
  const double longer = time / p.time;
  p.sm_clock = clock.sm_clock;
  p.power = clock.power;
  p.clock_limiter = clock.limiter;
  const double fewer = p.cycles / cycles;
  for (double* share : {&p.shares.tensor, &p.shares.shared_memory, &p.shares.sm_intake}) {
    *share *= fewer;
  }
  for (double* share : {&p.shares.l2, &p.shares.dram}) {
    *share /= longer;
  }
  hold_shares(p);
  p.cycles = cycles;
  p.time = time;
  p.interval_low = std::max(p.interval_low * longer, p.bounds.least_on_any_card(clock.sm_clock));
  p.interval_high = p.interval_high * longer;
  p.tflops /= longer;
}

void settle(const GpuSpec& gpu, const ClockState& clock, Prediction& p) {
  p.method = Method::kAnalytic;
  p.sm_clock = clock.sm_clock;
  p.time = time_of(p.cycles, clock.sm_clock);
  p.l2_hit_rate = hit_rate(p.dram_read, p.l2_to_sm);
  set_default_interval(gpu, p);
  retime(p.cycles, clock, p);
  p.closed_form_time = p.time;
}

void allow_busy(double longer, Prediction& p) {
  for (double* share :
       {&p.shares.shared_memory, &p.shares.sm_intake, &p.shares.l2, &p.shares.dram}) {
    *share = std::min(*share, longer);
  }
}

void stretch(double factor, Prediction& p) {
  factor = std::max(factor, p.bounds.least_time(p.sm_clock) / p.time);
  allow_busy(factor, p);
  retime(p.cycles * factor, {.sm_clock = p.sm_clock, .power = p.power, .limiter = p.clock_limiter},
         p);
}

}  // namespace tilecast
