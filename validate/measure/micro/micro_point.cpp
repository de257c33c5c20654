#include "validate/measure/micro/micro_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/base/error.h"
#include "model/base/quantile.h"

namespace tilecast {
namespace {

double as_double(u64 value) { return static_cast<double>(value); }

MicroPoint point_of(std::vector<double> values, std::span<const TimedSample> samples) {
  MicroPoint point;
  point.samples = static_cast<int>(values.size());
  point.value = quartiles_of(std::move(values));
  point.clock_mhz = clock_ghz(samples) * 1e3;
  return point;
}

}  // namespace

Quartiles scaled(const Quartiles& value, double factor, double less) {
  return {value.median * factor - less, value.q1 * factor - less, value.q3 * factor - less};
}

Quartiles quartiles_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::span<const double> sorted(values);
  return {quantile_of_sorted(sorted, 0.5), quantile_of_sorted(sorted, 0.25),
          quantile_of_sorted(sorted, 0.75)};
}

MicroPoint joined(std::span<const MicroPoint> passes) {
  const auto over_passes = [&](Quartiles MicroPoint::*quantity) {
    std::vector<double> medians;
    Quartiles all = passes.front().*quantity;
    for (const MicroPoint& pass : passes) {
      medians.push_back((pass.*quantity).median);
      all.q1 = std::min(all.q1, (pass.*quantity).q1);
      all.q3 = std::max(all.q3, (pass.*quantity).q3);
    }
    all.median = quartiles_of(std::move(medians)).median;
    return all;
  };
  MicroPoint point = passes.front();
  point.value = over_passes(&MicroPoint::value);
  point.in_time = over_passes(&MicroPoint::in_time);
  point.samples = 0;
  point.clock_mhz = 0;
  for (const MicroPoint& pass : passes) {
    point.samples += pass.samples;
    point.clock_mhz += pass.clock_mhz / static_cast<double>(passes.size());
  }
  return point;
}

std::vector<MicroPoint> joined_passes(std::span<const MicroPoint> points) {
  std::vector<std::vector<MicroPoint>> by_constant;
  std::map<std::pair<std::string, std::string>, std::size_t> place;
  for (const MicroPoint& point : points) {
    const auto [at, inserted] = place.try_emplace({point.key, point.variant}, by_constant.size());
    if (inserted) {
      by_constant.emplace_back();
    }
    by_constant[at->second].push_back(point);
  }
  std::vector<MicroPoint> all;
  for (const std::vector<MicroPoint>& passes : by_constant) {
    all.push_back(joined(passes));
  }
  return all;
}

double clock_ghz(std::span<const TimedSample> samples) {
  double cycles = 0;
  double nanoseconds = 0;
  for (const TimedSample& sample : samples) {
    cycles += as_double(sample.cycles);
    nanoseconds += as_double(sample.nanoseconds);
  }
  return nanoseconds > 0 ? cycles / nanoseconds : 0;
}

MicroPoint latency_point(std::span<const TimedSample> samples) {
  std::vector<double> values;
  for (const TimedSample& sample : samples) {
    values.push_back(as_double(sample.cycles) / as_double(sample.amount));
  }
  return cycles_point(std::move(values), samples);
}

MicroPoint cycles_point(std::vector<double> cycles, std::span<const TimedSample> clock) {
  MicroPoint point = point_of(std::move(cycles), clock);
  point.unit = "cycle";
  point.time_unit = "ns";
  point.in_time = scaled(point.value, 1e3 / point.clock_mhz);
  return point;
}

MicroPoint nanoseconds_point(std::vector<double> nanoseconds, double clock_ghz) {
  MicroPoint point = point_of(std::move(nanoseconds), {});
  point.clock_mhz = clock_ghz * 1e3;
  point.unit = "ns";
  point.time_unit = "cycle";
  point.in_time = scaled(point.value, clock_ghz);
  return point;
}

MicroPoint rate_point(std::span<const TimedSample> samples, const std::string& unit) {
  std::vector<double> values;
  for (const TimedSample& sample : samples) {
    values.push_back(as_double(sample.amount) / as_double(sample.cycles));
  }
  MicroPoint point = point_of(std::move(values), samples);
  point.unit = unit + "/cycle";
  point.time_unit = unit + "/ns";
  point.in_time = scaled(point.value, point.clock_mhz * 1e-3);
  return point;
}

MicroPoint slope_point(std::span<const TimedSample> longer, std::span<const TimedSample> shorter) {
  TILECAST_ASSERT(longer.size() == shorter.size());
  std::vector<double> values;
  for (std::size_t i = 0; i < longer.size(); ++i) {
    values.push_back((as_double(longer[i].cycles) - as_double(shorter[i].cycles)) /
                     (as_double(longer[i].amount) - as_double(shorter[i].amount)));
  }
  return cycles_point(std::move(values), longer);
}

std::vector<TimedSample> less(std::vector<TimedSample> samples,
                              std::span<const TimedSample> empty) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].cycles -= std::min(empty[i].cycles, samples[i].cycles);
  }
  return samples;
}

TimedSample joined(std::span<const TimedSample> sms) {
  TimedSample all{};
  for (const TimedSample& sm : sms) {
    if (sm.amount > 0) {
      all.cycles = std::max(all.cycles, sm.cycles);
      all.nanoseconds = std::max(all.nanoseconds, sm.nanoseconds);
      all.amount += sm.amount;
      all.valid = 1;
    }
  }
  return all;
}

std::string micro_csv_header() {
  return "gpu,group,key,variant,value,q1,q3,unit,in_time,time_q1,time_q3,time_unit,samples,"
         "sm_clock_mhz,kernel\n";
}

std::string micro_csv_line(const MicroPoint& point, const std::string& gpu) {
  const auto three = [](const Quartiles& q) {
    return fmt::format("{:.6g},{:.6g},{:.6g}", q.median, q.q1, q.q3);
  };
  return fmt::format(
      "{},{},{},\"{}\",{},{},{},{},{},{},{}\n", gpu, point.group, point.key, point.variant,
      three(point.value), point.unit, point.time_unit.empty() ? ",," : three(point.in_time),
      point.time_unit, point.samples,
      point.clock_mhz > 0 ? fmt::format("{:.1f}", point.clock_mhz) : "", point.kernel);
}

}  // namespace tilecast
