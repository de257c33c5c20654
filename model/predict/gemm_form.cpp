#include "model/predict/gemm_form.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "model/base/parallel.h"
#include "model/predict/chip_work.h"
#include "model/predict/fastest.h"
#include "model/predict/settled_clock.h"

namespace tilecast {
namespace {

// Bounds are lowered by what the search for the clock may leave.
constexpr double kBoundSlack = 1 - 10 * kClockSettled;

/// One kernel in different orders of its tiles.
struct RasterGroup {
  std::span<const KernelConfig> orders;
  Seconds bound;       // none of them is faster
  bool close = false;  // the bound is what the best order that there could be would take

  GemmWork least_work(const GemmQuestion& q) const {
    return least_gemm_work(q.gpu, q.problem, orders.front());
  }
};

std::vector<RasterGroup> raster_groups(std::span<const KernelConfig> legal) {
  std::vector<RasterGroup> groups;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= legal.size(); ++i) {
    if (i < legal.size()) {
      KernelConfig same = legal[i];
      same.raster = legal[begin].raster;
      if (same == legal[begin]) {
        continue;
      }
    }
    groups.push_back({legal.subspan(begin, i - begin), {}});
    begin = i;
  }
  return groups;
}

/// No clock is above the plateau, where each kernel takes least.
Seconds bound_of(const GemmQuestion& q, const KernelConfig& config, const GemmWork& work) {
  const Hertz highest = q.gpu.clock->tensor_plateau;
  return time_of(closed_form(q.gpu, q.problem, config, work, highest).cycles, highest) *
         kBoundSlack;
}

/// Of one schedule's kernels the fastest, and the time of each that may be within 1 % of them.
struct FastestOfSchedule {
  std::vector<GemmForm> forms;
  std::vector<Seconds> times;
};

FastestOfSchedule fastest_of(const GemmQuestion& q, std::span<const RasterGroup> groups,
                             std::size_t keep, TrafficMemo& traffic) {
  const auto later = [](const RasterGroup& a, const RasterGroup& b) {
    return std::pair(a.bound, a.orders.data()) > std::pair(b.bound, b.orders.data());
  };
  const KernelConfig* const first = groups.front().orders.data();
  std::priority_queue next(later, std::vector(groups.begin(), groups.end()));
  std::vector<Seconds> times;
  Fastest<GemmForm> fastest(keep);
  const auto too_slow = [&](Seconds bound) {
    return fastest.none_after(bound) && bound > fastest.least() * kWithin1Percent;
  };
  while (!next.empty() && !too_slow(next.top().bound)) {
    RasterGroup group = next.top();
    next.pop();
    if (!group.close) {
      group.bound = gemm_form(q, group.orders.front(), group.least_work(q)).time * kBoundSlack;
      group.close = true;
      next.push(group);
      continue;
    }
    for (const KernelConfig& config : group.orders) {
      const GemmWork work = gemm_work(q.gpu, q.problem, config, traffic);
      if (!too_slow(bound_of(q, config, work))) {
        const GemmForm form = gemm_form(q, config, work);
        times.push_back(form.time);
        fastest.add(form.time, static_cast<std::size_t>(&config - first), form);
      }
    }
  }
  return {fastest.take(), std::move(times)};
}

std::vector<std::span<const RasterGroup>> by_schedule(std::span<const RasterGroup> groups) {
  std::vector<std::span<const RasterGroup>> schedules;
  while (!groups.empty()) {
    const auto end = std::ranges::find_if(groups, [&](const RasterGroup& group) {
      return group.orders.front().schedule != groups.front().orders.front().schedule;
    });
    schedules.emplace_back(groups.begin(), end);
    groups = {end, groups.end()};
  }
  return schedules;
}

}  // namespace

GemmForm gemm_form(const GemmQuestion& q, const KernelConfig& config, const GemmWork& work) {
  const auto [form, clock] = settled_clock(*q.gpu.clock, q.gpu.clock->tensor_plateau, [&](Hertz f) {
    const ClosedForm at = closed_form(q.gpu, q.problem, config, work, f);
    const ChipWork done = chip_work(q.gpu, q.problem, config, work, at.cycles);
    return Settled<ClosedForm>{at, sm_clock(q.gpu, done, q.regime, q.inputs)};
  });
  return {config, work, form, clock, time_of(form.cycles, clock.sm_clock)};
}

FormAtClock form_on_normal_data(const GemmQuestion& q, const GemmForm& kernel) {
  if (q.inputs == Inputs::kNormal && !fuses(q.problem.epilogue)) {
    return {kernel.form, kernel.clock.sm_clock};
  }
  GemmProblem plain = q.problem;
  plain.epilogue = {};
  const GemmForm normal =
      gemm_form({q.gpu, plain, q.regime, Inputs::kNormal}, kernel.config, kernel.work);
  return {normal.form, normal.clock.sm_clock};
}

FastestForms fastest_forms(const GemmQuestion& q, std::span<const KernelConfig> legal,
                           std::size_t keep, unsigned threads) {
  std::vector<RasterGroup> groups = raster_groups(legal);
  parallel_for(groups.size(), threads, [&](std::size_t i) {
    groups[i].bound = bound_of(q, groups[i].orders.front(), groups[i].least_work(q));
  });
  const std::vector<std::span<const RasterGroup>> schedules = by_schedule(groups);
  std::vector<FastestOfSchedule> of_schedules(schedules.size());
  TrafficMemo traffic(*q.gpu.l2, q.problem);
  parallel_for(schedules.size(), threads, [&](std::size_t i) {
    of_schedules[i] = fastest_of(q, schedules[i], keep, traffic);
  });
  FastestForms fastest{};
  std::vector<Seconds> times;
  for (const FastestOfSchedule& own : of_schedules) {
    fastest.forms.insert(fastest.forms.end(), own.forms.begin(), own.forms.end());
    times.insert(times.end(), own.times.begin(), own.times.end());
  }
  std::ranges::stable_sort(fastest.forms, {}, &GemmForm::time);
  fastest.within_1_percent = count_within_1_percent(times);
  return fastest;
}

}  // namespace tilecast
