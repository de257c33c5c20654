#include "model/gemm/predict/gemm_form.h"

#include <algorithm>
#include <queue>
#include <span>
#include <utility>

#include "model/base/math.h"
#include "model/base/parallel.h"
#include "model/gemm/predict/kernel_activity.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/rank/fastest.h"
#include "model/rank/settled_clock.h"

namespace tilecast {
namespace {

// Bounds are lowered by what the search for the clock may leave.
constexpr double kBoundSlack = 1 - 10 * kClockSettled;
constexpr std::size_t kBoundedAtATime = 256;  // kernels, by one thread

/// A kernel, whatever its order of tiles.
struct Bounded {
  const KernelList::Kernel* kernel;
  Seconds bound;       // in no order is it faster
  bool close = false;  // the bound is what the best order that there could be would take

  GemmWork least_work(const GemmQuestion& q) const {
    return least_gemm_work(q.gpu, as_run(q.problem, kernel->config), kernel->config);
  }
};

/// No clock is above the plateau, where each kernel takes least.
Seconds bound_of(const GemmQuestion& q, const KernelConfig& config, const GemmWork& work) {
  const Hertz highest = q.gpu.clock->tensor_plateau;
  const GemmProblem problem = as_run(q.problem, config);
  return time_of(closed_form(q.gpu, problem, config, work, highest).cycles, highest) * kBoundSlack;
}

/// What is known of L2's traffic, of the problem and of its transpose.
struct Traffic {
  explicit Traffic(const GemmQuestion& q)
      : in_order(*q.gpu.l2, q.problem), swapped(*q.gpu.l2, transposed(q.problem)) {}

  TrafficMemo& of(const KernelConfig& config) {
    return config.operands == OperandOrder::kSwapped ? swapped : in_order;
  }

  TrafficMemo in_order, swapped;
};

/// Of one schedule's kernels.
FastestForms fastest_of(const GemmQuestion& q, const KernelList& legal,
                        std::span<const Bounded> kernels, std::size_t keep, Traffic& traffic) {
  const auto later = [](const Bounded& a, const Bounded& b) {
    return std::pair(a.bound, a.kernel) > std::pair(b.bound, b.kernel);
  };
  std::priority_queue next(later, std::vector(kernels.begin(), kernels.end()));
  std::vector<Seconds> times;
  Fastest<GemmForm> fastest(keep);
  const auto too_slow = [&](Seconds bound) {
    return fastest.none_after(bound) && bound > fastest.least() * kWithin1Percent;
  };
  while (!next.empty() && !too_slow(next.top().bound)) {
    Bounded best = next.top();
    next.pop();
    const KernelList::Kernel& kernel = *best.kernel;
    if (!best.close) {
      best.bound = gemm_form(q, kernel.config, best.least_work(q)).time * kBoundSlack;
      best.close = true;
      next.push(best);
      continue;
    }
    for (std::size_t order = kernel.begin; order < kernel.end; ++order) {
      const KernelConfig config = legal.candidate(kernel, order);
      const GemmWork work = gemm_work(q.gpu, as_run(q.problem, config), config, traffic.of(config));
      if (!too_slow(bound_of(q, config, work))) {
        const GemmForm form = gemm_form(q, config, work);
        times.push_back(form.time);
        fastest.add(form.time, order, form);
      }
    }
  }
  return {fastest.take(), std::move(times)};
}

std::vector<std::span<const Bounded>> by_schedule(std::span<const Bounded> kernels) {
  const auto schedule_of = [](const Bounded& b) { return b.kernel->config.schedule; };
  std::vector<std::span<const Bounded>> schedules;
  while (!kernels.empty()) {
    const auto end = std::ranges::find_if(
        kernels, [&](const Bounded& b) { return schedule_of(b) != schedule_of(kernels.front()); });
    schedules.emplace_back(kernels.begin(), end);
    kernels = {end, kernels.end()};
  }
  return schedules;
}

}  // namespace

GemmForm gemm_form(const GemmQuestion& q, const KernelConfig& config, const GemmWork& work) {
  const GemmProblem problem = as_run(q.problem, config);
  const KernelActivity activity = kernel_activity(q.gpu, problem, config, work);
  const auto [form, clock] = settled_clock(*q.gpu.clock, q.gpu.clock->tensor_plateau, [&](Hertz f) {
    const ClosedForm at = closed_form(q.gpu, problem, config, work, f);
    return Settled<ClosedForm>{at, clock_of(q.gpu, activity, at.cycles, q.regime, q.inputs).kernel};
  });
  return {config, work, form, clock, time_of(form.cycles, clock.sm_clock)};
}

GemmForm form_on_normal_data(const GemmQuestion& q, const GemmForm& kernel) {
  return q.inputs == Inputs::kNormal
             ? kernel
             : gemm_form({q.gpu, q.problem, q.regime, Inputs::kNormal}, kernel.config, kernel.work);
}

FastestForms fastest_forms(const GemmQuestion& q, const KernelList& legal, std::size_t keep,
                           unsigned threads) {
  std::vector<Bounded> kernels(legal.kernels.size());
  parallel_for(ceil_div(kernels.size(), kBoundedAtATime), threads, [&](std::size_t part) {
    const std::size_t end = std::min(kernels.size(), (part + 1) * kBoundedAtATime);
    for (std::size_t i = part * kBoundedAtATime; i < end; ++i) {
      Bounded& own = kernels[i];
      own.kernel = &legal.kernels[i];
      own.bound = bound_of(q, own.kernel->config, own.least_work(q));
    }
  });
  const std::vector<std::span<const Bounded>> schedules = by_schedule(kernels);
  std::vector<FastestForms> of_schedules(schedules.size());
  Traffic traffic(q);
  parallel_for(schedules.size(), threads, [&](std::size_t i) {
    of_schedules[i] = fastest_of(q, legal, schedules[i], keep, traffic);
  });
  FastestForms fastest{};
  for (const FastestForms& own : of_schedules) {
    fastest.forms.insert(fastest.forms.end(), own.forms.begin(), own.forms.end());
    fastest.times.insert(fastest.times.end(), own.times.begin(), own.times.end());
  }
  std::ranges::stable_sort(fastest.forms, {}, &GemmForm::time);
  return fastest;
}

}  // namespace tilecast
