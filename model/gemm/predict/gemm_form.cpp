#include "model/gemm/predict/gemm_form.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <ranges>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "model/base/math.h"
#include "model/base/parallel.h"
#include "model/gemm/predict/kernel_activity.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/rank/fastest.h"
#include "model/rank/settled_clock.h"

namespace tilecast {
namespace {

// Slack of the bounds for the tolerance of the clock search.
constexpr double kBoundSlack = 1 - 10 * kClockSettled;
constexpr std::size_t kBoundedAtATime = 256;  // kernels per work item

/// A kernel with a lower bound over all tile orders.
struct Bounded {
  const KernelList::Kernel* kernel;
  Seconds bound;       // the kernel is not faster in any order
  bool close = false;  // the bound assumes the ideal tile order; otherwise it is a cruder one

  GemmWork least_work(const GemmQuestion& q) const {
    return least_gemm_work(q.gpu, as_run(q.problem, kernel->config), kernel->config);
  }
};

/// Computes the bound at the plateau: the highest clock, at which a kernel takes the least time.
Seconds bound_of(const GemmQuestion& q, const KernelConfig& config, const GemmWork& work) {
  const Hertz highest = q.gpu.clock->tensor_plateau;
  const GemmProblem problem = as_run(q.problem, config);
  return time_of(closed_form(q.gpu, problem, config, work, highest).cycles, highest) * kBoundSlack;
}

/// Caches L2 traffic of the problem and of its transpose.
struct Traffic {
  explicit Traffic(const GemmQuestion& q)
      : in_order(*q.gpu.l2, q.problem), swapped(*q.gpu.l2, transposed(q.problem)) {}

  TrafficMemo& of(const KernelConfig& config) {
    return config.operands == OperandOrder::kSwapped ? swapped : in_order;
  }

  TrafficMemo in_order, swapped;
};

using Accepts = std::function<bool(const KernelConfig&)>;

/// Finds the fastest of these kernels, or of their candidates that `accepts` admits.
FastestForms fastest_of(const GemmQuestion& q, const KernelList& legal,
                        std::span<const Bounded> kernels, std::size_t keep, Traffic& traffic,
                        double near = kWithin1Percent, const Accepts& accepts = {}) {
  const auto later = [](const Bounded& a, const Bounded& b) {
    return std::pair(a.bound, a.kernel) > std::pair(b.bound, b.kernel);
  };
  std::priority_queue next(later, std::vector(kernels.begin(), kernels.end()));
  std::vector<Seconds> times;
  Fastest<GemmForm> fastest(keep);
  const auto too_slow = [&](Seconds bound) {
    return fastest.none_after(bound) && bound > fastest.least() * near;
  };
  while (!next.empty() && !too_slow(next.top().bound)) {
    Bounded best = next.top();
    next.pop();
    const KernelList::Kernel& kernel = *best.kernel;
    const auto accepted = [&](std::size_t order) {
      return !accepts || accepts(legal.candidate(kernel, order));
    };
    if (!best.close) {
      if (!std::ranges::any_of(std::views::iota(kernel.begin, kernel.end), accepted)) {
        continue;
      }
      best.bound = gemm_form(q, kernel.config, best.least_work(q)).time * kBoundSlack;
      best.close = true;
      next.push(best);
      continue;
    }
    for (std::size_t order = kernel.begin; order < kernel.end; ++order) {
      if (!accepted(order)) {
        continue;
      }
      const KernelConfig config = legal.candidate(kernel, order);
      const GemmWork work = gemm_work(q.gpu, as_run(q.problem, config), config, traffic.of(config));
      if (!too_slow(bound_of(q, config, work))) {
        const GemmForm form = gemm_form(q, config, work);
        times.push_back(form.time);
        fastest.add(form.time, order, form);
      }
    }
  }
  return {fastest.take(), std::move(times), {}};
}

/// Groups kernels by schedule and order of operands.
std::vector<std::span<const Bounded>> by_schedule(std::span<const Bounded> kernels) {
  const auto schedule_of = [](const Bounded& b) {
    return std::pair(b.kernel->config.schedule, b.kernel->config.operands);
  };
  std::vector<std::span<const Bounded>> schedules;
  while (!kernels.empty()) {
    const auto end = std::ranges::find_if(
        kernels, [&](const Bounded& b) { return schedule_of(b) != schedule_of(kernels.front()); });
    schedules.emplace_back(kernels.begin(), end);
    kernels = {end, kernels.end()};
  }
  return schedules;
}

using ScheduleTile = std::tuple<Schedule, i32, i32, i32>;

ScheduleTile schedule_and_tile(const KernelConfig& config) {
  const Tiling& t = config.tiling;
  return {config.schedule, t.block_m, t.block_n, t.block_k};
}

/// Returns the kernels of the `tiles` tiles with the lowest bounds and of all usual tiles, as one
/// list per tile of a schedule.
std::vector<std::vector<Bounded>> wanted_tiles(const std::vector<Bounded>& kernels,
                                               ElementType dtype, std::size_t tiles) {
  struct OfTile {
    Seconds bound;
    std::vector<std::span<const Bounded>> runs;
  };
  std::map<ScheduleTile, OfTile> by_tile;
  for (auto begin = kernels.begin(); begin != kernels.end();) {
    const ScheduleTile tile = schedule_and_tile(begin->kernel->config);
    const auto end = std::find_if(begin, kernels.end(), [&](const Bounded& own) {
      return schedule_and_tile(own.kernel->config) != tile;
    });
    const Seconds bound = std::ranges::min(std::span(begin, end), {}, &Bounded::bound).bound;
    OfTile& own = by_tile.try_emplace(tile, OfTile{bound, {}}).first->second;
    own.bound = std::min(own.bound, bound);
    own.runs.emplace_back(begin, end);
    begin = end;
  }
  std::vector<OfTile> all;
  for (auto& [tile, own] : by_tile) {
    all.push_back(std::move(own));
  }
  std::ranges::stable_sort(all, {}, &OfTile::bound);
  std::vector<std::vector<Bounded>> wanted;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < tiles || is_usual_tile(all[i].runs.front().front().kernel->config, dtype)) {
      wanted.emplace_back();
      for (const std::span<const Bounded> run : all[i].runs) {
        wanted.back().insert(wanted.back().end(), run.begin(), run.end());
      }
    }
  }
  return wanted;
}

/// Returns two kinds of kernels that are not in `forms`: the fastest of each requested tile, and
/// the fastest of each schedule that has a CUTLASS counterpart.
std::vector<GemmForm> apart_of(const GemmQuestion& q, const KernelList& legal,
                               const std::vector<Bounded>& kernels, const Shortlist& shortlist,
                               const std::vector<GemmForm>& forms, unsigned threads,
                               Traffic& traffic) {
  struct Search {
    std::vector<Bounded> kernels;
    Accepts accepts;
  };
  std::vector<Search> searches;
  if (shortlist.tiles > 0) {
    std::set<ScheduleTile> known;
    for (const GemmForm& form : forms) {
      known.insert(schedule_and_tile(form.config));
    }
    for (std::vector<Bounded>& own : wanted_tiles(kernels, q.problem.dtype, shortlist.tiles)) {
      if (!known.contains(schedule_and_tile(own.front().kernel->config))) {
        searches.push_back({std::move(own), {}});
      }
    }
  }
  if (shortlist.has_counterpart) {
    for (const std::span<const Bounded> own : by_schedule(kernels)) {
      const Schedule schedule = own.front().kernel->config.schedule;
      if (std::ranges::none_of(forms, [&](const GemmForm& form) {
            return form.config.schedule == schedule && shortlist.has_counterpart(form.config);
          })) {
        searches.push_back({{own.begin(), own.end()}, shortlist.has_counterpart});
      }
    }
  }
  std::vector<std::vector<GemmForm>> found(searches.size());
  parallel_for(searches.size(), threads, [&](std::size_t i) {
    found[i] = fastest_of(q, legal, searches[i].kernels, 1, traffic, 1, searches[i].accepts).forms;
  });
  std::vector<GemmForm> apart;
  for (const std::vector<GemmForm>& own : found) {
    apart.insert(apart.end(), own.begin(), own.end());
  }
  return apart;
}

}  // namespace

bool is_usual_tile(const AnyConfig& any, ElementType dtype) {
  constexpr i32 kBlockBytes = 128;
  constexpr std::tuple<Schedule, i32, i32> kUsual[] = {{Schedule::kWarpSpecialized, 128, 256},
                                                       {Schedule::kWarpSpecialized, 128, 128},
                                                       {Schedule::kPingPong, 128, 128},
                                                       {Schedule::kPingPong, 64, 256}};
  const KernelConfig* config = std::get_if<KernelConfig>(&any);
  return config != nullptr && config->tiling.block_k * element_bytes(dtype) == kBlockBytes &&
         std::ranges::find(kUsual, std::tuple(config->schedule, config->tiling.block_m,
                                              config->tiling.block_n)) != std::end(kUsual);
}

ComparedKernels compared_kernels(ElementType dtype) {
  const auto of_schedule = [](Schedule schedule) {
    return
        [schedule](const Prediction& p) { return schedule_of(p.config) == AnySchedule(schedule); };
  };
  return {of_schedule(Schedule::kWarpSpecialized), of_schedule(Schedule::kPingPong),
          [dtype](const Prediction& p) { return is_usual_tile(p.config, dtype); }};
}

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
                           unsigned threads, const Shortlist& shortlist) {
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
  std::vector<std::size_t> longest_first(schedules.size());
  std::iota(longest_first.begin(), longest_first.end(), std::size_t{0});
  std::ranges::stable_sort(longest_first, std::greater<>{},
                           [&](std::size_t i) { return schedules[i].size(); });
  parallel_for(schedules.size(), threads, [&](std::size_t next) {
    const std::size_t i = longest_first[next];
    of_schedules[i] = fastest_of(q, legal, schedules[i], keep, traffic);
  });
  FastestForms fastest{};
  for (const FastestForms& own : of_schedules) {
    fastest.forms.insert(fastest.forms.end(), own.forms.begin(), own.forms.end());
    fastest.times.insert(fastest.times.end(), own.times.begin(), own.times.end());
  }
  std::ranges::stable_sort(fastest.forms, {}, &GemmForm::time);
  fastest.apart = apart_of(q, legal, kernels, shortlist, fastest.forms, threads, traffic);
  return fastest;
}

}  // namespace tilecast
