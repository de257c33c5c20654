#include "model/predict/predict.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "model/analytic/closed_form.h"
#include "model/base/error.h"
#include "model/clock/clock.h"
#include "model/predict/candidates.h"
#include "model/predict/legality.h"
#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {
namespace {

constexpr int kMostRounds = 12;    // of the search for the clock; three or four do, mostly
constexpr double kSettled = 1e-4;  // relative change of the clock at which it stops
// Bounds are lowered by what the search for the clock may leave.
constexpr double kBoundSlack = 1 - 10 * kSettled;

void require_solvable(const GpuSpec& gpu, const GemmProblem& problem) {
  if (const std::string why = why_not_schedulable(gpu); !why.empty()) {
    throw ConfigError(why);
  }
  if (const std::string why = why_not_solvable(problem); !why.empty()) {
    throw ConfigError(fmt::format("{}: {}", to_text(problem.shape), why));
  }
}

Prediction predict_work(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                        const GemmWork& work, Regime regime, Inputs inputs) {
  const Flops flops{gemm_flops(problem.shape)};
  const auto run_at = [&](Hertz f) {
    const ClosedForm form = closed_form(gpu, problem, config, work, f);
    const Activity activity{flops, work.shared_memory, work.traffic.l2_to_sm,
                            work.traffic.dram_read + work.traffic.dram_write, form.cycles};
    return std::pair{form, sm_clock(gpu, activity, regime, inputs)};
  };
  // Cycles depend on the clock where nanoseconds matter, the clock on the cycles. Where a
  // memory-bound kernel is also power-bound, taking each from the other in turn swings: secant
  // steps do not.
  Hertz f = gpu.clock->tensor_plateau;
  auto [form, clock] = run_at(f);
  Hertz before = f;
  Hertz answer_before = clock.sm_clock;
  f = clock.sm_clock;
  for (int round = 0; round < kMostRounds; ++round) {
    std::tie(form, clock) = run_at(f);
    const Hertz answer = clock.sm_clock;
    if (std::abs(answer / f - 1) < kSettled) {
      break;
    }
    const double slope = (answer - answer_before) / (f - before);
    before = f;
    answer_before = answer;
    f = std::min((answer - f * slope) / (1 - slope), gpu.clock->max);
  }
  const Seconds time = time_of(form.cycles, clock.sm_clock);
  return {.config = config,
          .method = Method::kAnalytic,
          .cycles = form.cycles,
          .sm_clock = clock.sm_clock,
          .time = time,
          .interval_low = time * (1 - gpu.default_interval),
          .interval_high = time * (1 + gpu.default_interval),
          .tflops = flops.value / time.value * 1e-12,
          .power = clock.power,
          .limiter = form.limiter,
          .shares = form.shares,
          .l2_to_sm = work.traffic.l2_to_sm,
          .dram_read = work.traffic.dram_read,
          .dram_write = work.traffic.dram_write,
          .l2_hit_rate = 1 - work.traffic.dram_read / work.traffic.l2_to_sm};
}

/// Neighbours in the list of candidates that are one kernel in different orders of its tiles.
struct RasterGroup {
  std::size_t begin, end;
  Seconds bound;  // none of them is faster
};

std::vector<RasterGroup> raster_groups(const std::vector<KernelConfig>& legal) {
  std::vector<RasterGroup> groups;
  for (std::size_t i = 0; i < legal.size(); ++i) {
    KernelConfig same = legal[i];
    if (i > 0) {
      same.raster = legal[i - 1].raster;
    }
    if (i > 0 && same == legal[i - 1]) {
      groups.back().end = i + 1;
    } else {
      groups.push_back({i, i + 1, {}});
    }
  }
  return groups;
}

/// The `keep` fastest predictions; of equally fast ones those that were candidates first.
class Fastest {
 public:
  explicit Fastest(std::size_t keep) : keep_(keep) {}

  /// Whether nothing that takes at least `bound` can still belong to them.
  bool none_after(Seconds bound) const {
    return kept_.size() == keep_ && kept_.front().first.time < bound;
  }

  void add(const Prediction& prediction, std::size_t index) {
    kept_.emplace_back(prediction, index);
    std::push_heap(kept_.begin(), kept_.end(), before);
    if (kept_.size() > keep_) {
      std::pop_heap(kept_.begin(), kept_.end(), before);
      kept_.pop_back();
    }
  }

  std::vector<Prediction> take() {
    std::sort_heap(kept_.begin(), kept_.end(), before);
    std::vector<Prediction> predictions;
    predictions.reserve(kept_.size());
    for (const Entry& entry : kept_) {
      predictions.push_back(entry.first);
    }
    return predictions;
  }

 private:
  using Entry = std::pair<Prediction, std::size_t>;

  static bool before(const Entry& a, const Entry& b) {
    return std::pair(a.first.time, a.second) < std::pair(b.first.time, b.second);
  }

  std::size_t keep_;
  std::vector<Entry> kept_;  // a heap, the slowest in front
};

}  // namespace

std::string_view to_text(Method) { return "analytic"; }

Prediction predict_config(const GpuSpec& gpu, const GemmProblem& problem,
                          const KernelConfig& config, Regime regime, Inputs inputs) {
  require_solvable(gpu, problem);
  if (const Refusal refusal = check_legal(gpu, problem, config); refusal != Refusal::kNone) {
    throw ConfigError(fmt::format("{} cannot run {} in layout {}: {}", gpu.name, to_text(config),
                                  to_text(problem.layout), to_text(refusal)));
  }
  TrafficMemo traffic(*gpu.l2, problem);
  return predict_work(gpu, problem, config, gemm_work(gpu, problem, config, traffic), regime,
                      inputs);
}

Ranking rank_candidates(const GpuSpec& gpu, const GemmProblem& problem,
                        const std::vector<Schedule>& schedules, Regime regime, Inputs inputs,
                        std::size_t keep) {
  require_solvable(gpu, problem);
  Candidates candidates = enumerate_candidates(gpu, problem, schedules);
  if (candidates.legal.empty()) {
    throw ConfigError(
        fmt::format("{}: no candidate is legal on {}", to_text(problem.shape), gpu.name));
  }
  const std::vector<KernelConfig>& legal = candidates.legal;
  std::vector<RasterGroup> groups = raster_groups(legal);
  for (RasterGroup& group : groups) {
    const KernelConfig& kernel = legal[group.begin];
    const GemmWork least = least_gemm_work(gpu, problem, kernel);
    group.bound = predict_work(gpu, problem, kernel, least, regime, inputs).time * kBoundSlack;
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const RasterGroup& a, const RasterGroup& b) { return a.bound < b.bound; });

  TrafficMemo traffic(*gpu.l2, problem);
  Fastest fastest(keep);
  for (const RasterGroup& group : groups) {
    if (fastest.none_after(group.bound)) {
      break;
    }
    for (std::size_t i = group.begin; i < group.end; ++i) {
      const GemmWork work = gemm_work(gpu, problem, legal[i], traffic);
      fastest.add(predict_work(gpu, problem, legal[i], work, regime, inputs), i);
    }
  }
  const int count = static_cast<int>(legal.size());
  return {problem, regime, inputs, count, std::move(candidates.rejected), fastest.take()};
}

}  // namespace tilecast
