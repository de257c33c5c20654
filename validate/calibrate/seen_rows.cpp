#include "validate/calibrate/seen_rows.h"

#include <atomic>
#include <cmath>
#include <optional>

#include "model/base/parallel.h"
#include "model/clock/clock.h"
#include "model/predict/gemm_form.h"
#include "model/predict/simulated_gemm.h"

namespace tilecast {
namespace {

const KernelActivity* simulation_of(const std::vector<KernelActivity>& simulated, std::size_t i) {
  return !simulated.empty() && simulated[i].work.elapsed.value > 0 ? &simulated[i] : nullptr;
}

}  // namespace

SeenRows see_rows(const GpuSpec& gpu, const FitRows& rows,
                  const std::vector<KernelActivity>& simulated, unsigned threads) {
  const std::size_t count = rows.rows.size();
  SeenRows seen{.features = std::vector<KernelFeatures>(count),
                .cycles_off = Eigen::VectorXd(static_cast<Eigen::Index>(count)),
                .clock_off = Eigen::VectorXd(static_cast<Eigen::Index>(count)),
                .corrected = {}};
  const auto closed = [&gpu](const FitRow& row, Hertz f) {
    return closed_form(gpu, row.problem, row.config, row.work, f);
  };
  const auto over_closed = [&rows, &simulated, closed](std::size_t i) {
    const KernelActivity* simulation = simulation_of(simulated, i);
    const FitRow& row = rows.rows[i];
    return simulation != nullptr ? simulation->work.elapsed / closed(row, row.clock).cycles : 1;
  };
  // Cycles move with the closed form's, as in a prediction.
  seen.corrected = [=, &gpu, &rows, &simulated](std::size_t i, double log) {
    const FitRow& row = rows.rows[i];
    const double factor = over_closed(i) * std::exp(log);
    const KernelActivity* simulation = simulation_of(simulated, i);
    return settled_cycles(gpu, simulation != nullptr ? *simulation : activity_of(gpu, row),
                          row.clock, row.regime, Inputs::kNormal,
                          [&](Hertz f) { return closed(row, f).cycles * factor; });
  };
  parallel_for(count, threads, [&](std::size_t i) {
    const FitRow& row = rows.rows[i];
    const GemmForm physics =
        gemm_form({gpu, row.problem, row.regime, Inputs::kNormal}, row.config, row.work);
    const double over = over_closed(i);
    const Hertz own = physics.clock.sm_clock;
    const KernelActivity* simulation = simulation_of(simulated, i);
    std::optional<SimulatedWork> work;
    if (simulation != nullptr) {
      work = {physics.form.cycles * over, simulation->work.l2, simulation->work.dram};
    }
    seen.features[i] = kernel_features(gpu, row.problem, row.config, row.work, physics.form, own,
                                       work, row.regime);
    const auto at = static_cast<Eigen::Index>(i);
    seen.cycles_off[at] = std::log(row.cycles / (closed(row, row.clock).cycles * over));
    seen.clock_off[at] =
        std::log(row.clock / seen.corrected(i, seen.cycles_off[at]).clock.sm_clock);
  });
  return seen;
}

std::vector<KernelActivity> simulate_rows(const GpuSpec& gpu, const FitRows& rows, unsigned threads,
                                          const std::function<void(std::size_t)>& progress) {
  std::vector<KernelActivity> simulated(rows.rows.size());
  std::atomic<std::size_t> done = 0;
  parallel_for(simulated.size(), threads, [&](std::size_t i) {
    const FitRow& row = rows.rows[i];
    if (can_simulate(gpu, row.config)) {
      simulated[i] = simulate_phases(gpu, row.problem, row.config, row.clock).activity;
    }
    progress(++done);
  });
  return simulated;
}

}  // namespace tilecast
