#include "library/tune.h"

#include <algorithm>

#include "library/forecast.h"
#include "library/status.h"
#include "library/timed_runs.h"
#include "library/tuned_file.h"
#include "model/base/file.h"
#include "model/base/quantile.h"
#include "model/ops/any_op.h"

namespace tilecast {
namespace {

constexpr double kOneTimingUs = 1000;
constexpr int kMostRuns = 500, kRounds = 7;

template <class OpRequest>
struct Candidate {
  std::unique_ptr<const PlanOf<OpRequest>> plan;
  std::unique_ptr<TimedRuns> runs;
  std::vector<double> times_us = {};
};

template <class OpRequest>
std::unique_ptr<const PlanOf<OpRequest>> plan_with(OpRequest request, const std::string& config) {
  request.config = config;
  return std::make_unique<const PlanOf<OpRequest>>(request);
}

/// Returns the candidates that compile and fit the device.
template <class OpRequest>
std::vector<Candidate<OpRequest>> ready(const OpRequest& request, std::size_t count,
                                        const typename OpRequest::Arguments& arguments) {
  const LoadedGpu& gpu = gpu_of(request, gpu_name(request));
  std::vector<Candidate<OpRequest>> candidates;
  for (const Prediction& p : forecast(request.problem, request, gpu, count)) {
    try {
      auto plan = plan_with(request, to_text(p.config));
      const double runs = kOneTimingUs / plan->forecast().time_us;
      const RunWith run = [&](void* workspace, std::size_t bytes, void* on) {
        typename OpRequest::Arguments with = arguments;
        with.workspace = workspace;
        with.workspace_bytes = bytes;
        return plan->run(with, on);
      };
      auto timed = make_timed_runs(*plan, run, std::clamp(static_cast<int>(runs), 1, kMostRuns));
      candidates.push_back({std::move(plan), std::move(timed)});
    } catch (const StatusError& error) {
      if (error.status() != TILECAST_UNSUPPORTED) {
        throw;
      }
    }
  }
  if (candidates.empty()) {
    throw StatusError(TILECAST_UNSUPPORTED, "none of the candidates can run on this device");
  }
  return candidates;
}

}  // namespace

template <class OpRequest>
TunedPlan<OpRequest> tune(const OpRequest& request, const Tuning& tuning,
                          const typename OpRequest::Arguments& arguments, void* stream) {
  const std::vector<TunedProblem> known = read_tuned(tuning.file);
  check_writable(tuning.file);
  const CurrentGpu device = current_gpu();
  TunedProblem tuned{tuned_key(request, device.name, device.driver), {}};
  const auto found = std::ranges::find(known, tuned.key, &TunedProblem::key);
  if (found != known.end() && !tuning.again) {
    return {plan_with(request, found->candidates.front().config),
            found->candidates.front().measured_us};
  }
  wait_for(stream);
  std::vector<Candidate<OpRequest>> candidates = ready(request, tuning.candidates, arguments);
  for (int round = 0; round <= kRounds; ++round) {
    for (Candidate<OpRequest>& candidate : candidates) {
      const double time_us = candidate.runs->microseconds();
      if (round > 0) {  // the first round warms up
        candidate.times_us.push_back(time_us);
      }
    }
  }
  for (Candidate<OpRequest>& candidate : candidates) {
    std::ranges::sort(candidate.times_us);
    const tilecast_forecast& forecast = candidate.plan->forecast();
    tuned.candidates.push_back(
        {forecast.config, forecast.time_us, quantile_of_sorted<double>(candidate.times_us, 0.5)});
  }
  std::ranges::stable_sort(tuned.candidates, {}, &TunedCandidate::measured_us);
  remember_tuned(tuning.file, tuned);
  const TunedCandidate& first = tuned.candidates.front();
  const auto best = std::ranges::find_if(candidates, [&](const Candidate<OpRequest>& candidate) {
    return candidate.plan->forecast().config == first.config;
  });
  return {std::move(best->plan), first.measured_us};
}

template TunedPlan<GemmRequest> tune(const GemmRequest&, const Tuning&, const tilecast_arguments&,
                                     void*);
template TunedPlan<AttentionRequest> tune(const AttentionRequest&, const Tuning&,
                                          const tilecast_attention_arguments&, void*);

}  // namespace tilecast
