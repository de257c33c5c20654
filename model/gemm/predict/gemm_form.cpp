#include "model/gemm/predict/gemm_form.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
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

/// Searches for the fastest of these kernels, or of their candidates that `accepts` admits.
class Search {
 public:
  Search(const GemmQuestion& q, const KernelList& legal, std::span<const Bounded> kernels,
         std::size_t keep, Traffic& traffic, double near = kWithin1Percent, Accepts accepts = {})
      : q_(q),
        legal_(legal),
        kernels_(kernels),
        keep_(keep),
        traffic_(traffic),
        near_(near),
        accepts_(std::move(accepts)) {}

  /// Works until the search is complete or other threads do the rest. May be called again after an
  /// exception.
  void run() {
    std::unique_lock lock(noting_);
    if (restarts_) {
      next_ = Queue({}, std::vector(kernels_.begin(), kernels_.end()));
      fastest_ = Fastest<GemmForm>(keep_);
      times_.clear();
      restarts_ = false;
    }
    try {
      while (!next_.empty() && !too_slow(next_.top().bound)) {
        const Bounded best = next_.top();
        next_.pop();
        lock.unlock();
        best.close ? evaluate(best) : bound_closely(best);
        lock.lock();
      }
    } catch (...) {
      if (!lock.owns_lock()) {
        lock.lock();
      }
      restarts_ = true;
      throw;
    }
  }

  FastestForms take() { return {fastest_.take(), std::move(times_), {}}; }

 private:
  struct Later {
    bool operator()(const Bounded& a, const Bounded& b) const {
      return std::pair(a.bound, a.kernel) > std::pair(b.bound, b.kernel);
    }
  };
  using Queue = std::priority_queue<Bounded, std::vector<Bounded>, Later>;

  bool too_slow(Seconds bound) const {
    return fastest_.none_after(bound) && bound > fastest_.least() * near_;
  }

  bool accepts(const KernelList::Kernel& kernel, std::size_t order) const {
    return !accepts_ || accepts_(legal_.candidate(kernel, order));
  }

  void bound_closely(Bounded own) {
    const KernelList::Kernel& kernel = *own.kernel;
    if (std::ranges::any_of(std::views::iota(kernel.begin, kernel.end),
                            [&](std::size_t order) { return accepts(kernel, order); })) {
      own.bound = gemm_form(q_, kernel.config, own.least_work(q_)).time * kBoundSlack;
      own.close = true;
      const std::lock_guard lock(noting_);
      next_.push(own);
    }
  }

  void evaluate(const Bounded& own) {
    const KernelList::Kernel& kernel = *own.kernel;
    for (std::size_t order = kernel.begin; order < kernel.end; ++order) {
      if (!accepts(kernel, order)) {
        continue;
      }
      const KernelConfig config = legal_.candidate(kernel, order);
      const GemmWork work =
          gemm_work(q_.gpu, as_run(q_.problem, config), config, traffic_.of(config));
      const Seconds bound = bound_of(q_, config, work);
      if ([&] {
            const std::lock_guard lock(noting_);
            return too_slow(bound);
          }()) {
        continue;
      }
      const GemmForm form = gemm_form(q_, config, work);
      const std::lock_guard lock(noting_);
      times_.push_back(form.time);
      fastest_.add(form.time, order, form);
    }
  }

  const GemmQuestion& q_;
  const KernelList& legal_;
  std::span<const Bounded> kernels_;
  std::size_t keep_;
  Traffic& traffic_;
  double near_;
  Accepts accepts_;
  std::mutex noting_;  // guards all members below
  bool restarts_ = true;
  Queue next_;
  Fastest<GemmForm> fastest_{keep_};
  std::vector<Seconds> times_;
};

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

/// Returns, for each schedule, the kernels of the tiles that the shortlist needs: those with the
/// lowest bounds.
std::vector<std::vector<Bounded>> wanted_tiles(const std::vector<Bounded>& kernels,
                                               ElementType dtype, std::size_t tiles) {
  std::map<ScheduleTile, std::vector<Bounded>> by_tile;
  for (const Bounded& own : kernels) {
    by_tile[schedule_and_tile(own.kernel->config)].push_back(own);
  }
  std::vector<std::pair<Seconds, std::vector<Bounded>>> all;
  for (auto& [tile, own] : by_tile) {
    all.emplace_back(std::ranges::min(own, {}, &Bounded::bound).bound, std::move(own));
  }
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.first; });
  std::vector<std::vector<Bounded>> wanted;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < tiles || is_usual_tile(all[i].second.front().kernel->config, dtype)) {
      wanted.push_back(std::move(all[i].second));
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
  struct Part {
    std::vector<Bounded> kernels;
    Accepts accepts;
  };
  std::vector<Part> searches;
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
    Search search(q, legal, searches[i].kernels, 1, traffic, 1, searches[i].accepts);
    search.run();
    found[i] = search.take().forms;
  });
  std::vector<GemmForm> apart;
  for (const std::vector<GemmForm>& own : found) {
    apart.insert(apart.end(), own.begin(), own.end());
  }
  return apart;
}

}  // namespace

bool is_usual_tile(const KernelConfig& config, ElementType dtype) {
  constexpr i32 kBlockBytes = 128;
  constexpr std::tuple<Schedule, i32, i32> kUsual[] = {{Schedule::kWarpSpecialized, 128, 256},
                                                       {Schedule::kWarpSpecialized, 128, 128},
                                                       {Schedule::kPingPong, 128, 128},
                                                       {Schedule::kPingPong, 64, 256}};
  const Tiling& t = config.tiling;
  return t.block_k * element_bytes(dtype) == kBlockBytes &&
         std::ranges::find(kUsual, std::tuple(config.schedule, t.block_m, t.block_n)) !=
             std::end(kUsual);
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
  Traffic traffic(q);
  std::deque<Search> schedules;
  for (const std::span<const Bounded> own : by_schedule(kernels)) {
    schedules.emplace_back(q, legal, own, keep, traffic);
  }
  // All threads search one schedule after the other, since one has half of all kernels.
  const std::size_t together = threads == 0 ? processor_count() : threads;
  parallel_for(schedules.size() * together, threads,
               [&](std::size_t i) { schedules[i / together].run(); });
  FastestForms fastest{};
  for (Search& schedule : schedules) {
    const FastestForms own = schedule.take();
    fastest.forms.insert(fastest.forms.end(), own.forms.begin(), own.forms.end());
    fastest.times.insert(fastest.times.end(), own.times.begin(), own.times.end());
  }
  std::ranges::stable_sort(fastest.forms, {}, &GemmForm::time);
  fastest.apart = apart_of(q, legal, kernels, shortlist, fastest.forms, threads, traffic);
  return fastest;
}

}  // namespace tilecast
