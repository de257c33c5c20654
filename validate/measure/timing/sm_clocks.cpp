#include "validate/measure/timing/sm_clocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/base/error.h"

namespace tilecast {
namespace {

constexpr double kNanosecond = 1e-9;
constexpr i64 kKnotDistance = 8000;  // ns

/// Greatest common divisor of the distances between readings of globaltimer.
i64 step_of(const std::vector<SmReading>& readings) {
  i64 step = 0;
  for (const SmReading& reading : readings) {
    step = std::gcd(step, reading.ns - readings.front().ns);
  }
  return step;
}

/// Returns the knots among readings of one SM, which must be in order.
std::vector<SmReading> knots_of(std::span<const SmReading> readings) {
  std::vector<SmReading> knots = {readings.front()};
  for (const SmReading& reading : readings) {
    if (reading.ns - knots.back().ns >= kKnotDistance) {
      knots.push_back(reading);
    }
  }
  if (knots.size() > 1) {
    knots.back() = readings.back();
  }
  return knots;
}

}  // namespace

SmClocks::SmClocks(std::vector<SmReading> readings) {
  std::sort(readings.begin(), readings.end(), [](const SmReading& a, const SmReading& b) {
    return a.smid != b.smid ? a.smid < b.smid : a.cycles < b.cycles;
  });
  std::vector<std::span<const SmReading>> sms;
  for (auto from = readings.begin(); from != readings.end();) {
    const auto to = std::find_if(
        from, readings.end(), [&](const SmReading& reading) { return reading.smid != from->smid; });
    sms.emplace_back(from, to);
    from = to;
  }
  i64 cycles = 0, ns = 0;
  for (const auto& sm : sms) {
    cycles += sm.back().cycles - sm.front().cycles;
    ns += sm.back().ns - sm.front().ns;
  }
  if (cycles <= 0 || ns <= 0) {
    throw Error(ExitCode::kWrong, "the kernel is shorter than globaltimer's resolution");
  }
  const double per_ns = static_cast<double>(cycles) / static_cast<double>(ns);
  mean_ = {per_ns / kNanosecond};
  bool any = false;
  for (const auto& sm : sms) {
    std::vector<Knot>& knots = knots_[sm.front().smid];
    for (const SmReading& knot : knots_of(sm)) {
      knots.push_back({static_cast<double>(knot.cycles), static_cast<double>(knot.ns)});
    }
    if (knots.size() == 1) {
      double mean_cycles = 0, mean_ns = 0;
      for (const SmReading& reading : sm) {
        mean_cycles += static_cast<double>(reading.cycles) / static_cast<double>(sm.size());
        mean_ns += static_cast<double>(reading.ns) / static_cast<double>(sm.size());
      }
      knots = {{mean_cycles, mean_ns}, {mean_cycles + per_ns, mean_ns + 1}};
      continue;
    }
    const Hertz clock{(knots.back().cycles - knots.front().cycles) /
                      (knots.back().ns - knots.front().ns) / kNanosecond};
    slowest_ = any ? std::min(slowest_, clock) : clock;
    fastest_ = any ? std::max(fastest_, clock) : clock;
    any = true;
  }
  if (!any) {
    slowest_ = fastest_ = mean_;
  }
  error_ = {static_cast<double>(step_of(readings)) / 2 * kNanosecond};
  for (const SmReading& reading : readings) {
    const double off = std::abs(time(reading.smid, reading.cycles).value -
                                static_cast<double>(reading.ns) * kNanosecond);
    error_.value = std::max(error_.value, off);
  }
}

Seconds SmClocks::time(u32 smid, i64 cycles) const {
  const std::vector<Knot>& knots = knots_.at(smid);
  const double at = static_cast<double>(cycles);
  const auto right = std::find_if(knots.begin() + 1, knots.end() - 1,
                                  [&](const Knot& knot) { return knot.cycles >= at; });
  const Knot &from = *(right - 1), &to = *right;
  return {(from.ns + (at - from.cycles) * (to.ns - from.ns) / (to.cycles - from.cycles)) *
          kNanosecond};
}

}  // namespace tilecast
