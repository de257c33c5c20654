#include "validate/calibrate/seen_rows.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>

#include "model/base/parallel.h"
#include "model/clock/clock.h"
#include "model/gemm/predict/gemm_form.h"
#include "model/gemm/predict/simulated_gemm.h"
#include "validate/calibrate/fit_constants.h"

namespace tilecast {
namespace {

const SimulatedRow* simulation_of(const std::vector<SimulatedRow>& simulated, std::size_t i) {
  const bool is = !simulated.empty() && simulated[i].activity.work.elapsed.value > 0;
  return is ? &simulated[i] : nullptr;
}

GemmForm physics_of(const GpuSpec& gpu, const FitRow& row) {
  return gemm_form({gpu, row.problem, row.regime, Inputs::kNormal}, row.config, row.work);
}

}  // namespace

SeenRows see_rows(const GpuSpec& gpu, const FitRows& rows,
                  const std::vector<SimulatedRow>& simulated, unsigned threads) {
  const std::size_t count = rows.rows.size();
  SeenRows seen{.features = std::vector<KernelFeatures>(count),
                .cycles_off = Eigen::VectorXd(static_cast<Eigen::Index>(count)),
                .clock_off = Eigen::VectorXd(static_cast<Eigen::Index>(count)),
                .corrected = {}};
  const auto closed = [&gpu](const FitRow& row, Hertz f) {
    return closed_form(gpu, row.problem, row.config, row.work, f);
  };
  const auto over_closed = [&rows, &simulated, closed](std::size_t i) {
    const SimulatedRow* simulation = simulation_of(simulated, i);
    return simulation != nullptr
               ? simulation->work.cycles / closed(rows.rows[i], simulation->sm_clock).cycles
               : 1;
  };
  // Cycles are scaled like the analytic ones, as in a prediction.
  seen.corrected = [=, &gpu, &rows, &simulated](std::size_t i, double log) {
    const FitRow& row = rows.rows[i];
    const double factor = over_closed(i) * std::exp(log);
    const SimulatedRow* simulation = simulation_of(simulated, i);
    return settled_cycles(gpu, simulation != nullptr ? simulation->activity : activity_of(gpu, row),
                          row.clock, row.regime, Inputs::kNormal,
                          [&](Hertz f) { return closed(row, f).cycles * factor; });
  };
  parallel_for(count, threads, [&](std::size_t i) {
    const FitRow& row = rows.rows[i];
    const GemmForm physics = physics_of(gpu, row);
    const double over = over_closed(i);
    const Hertz own = physics.clock.sm_clock;
    std::optional<SimulatedWork> work;
    if (const SimulatedRow* simulation = simulation_of(simulated, i); simulation != nullptr) {
      work = simulation->work;
      work->cycles = physics.form.cycles * over;
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

std::vector<SimulatedRow> simulate_rows(const GpuSpec& gpu, const FitRows& rows, unsigned threads,
                                        const std::function<void(std::size_t)>& progress) {
  std::vector<SimulatedRow> simulated(rows.rows.size());
  std::atomic<std::size_t> done = 0;
  parallel_for(simulated.size(), threads, [&](std::size_t i) {
    const FitRow& row = rows.rows[i];
    if (can_simulate(gpu, row.config)) {
      const GemmForm physics = physics_of(gpu, row);
      const Hertz clock = physics.clock.sm_clock;
      SimulatedGemm run = simulate_phases(gpu, row.problem, row.config, clock);
      const ChipWork& work = run.activity.work;
      const Cycles cycles = work.elapsed;
      const double tensor =
          std::min(1.0, physics.form.shares.tensor * (physics.form.cycles / cycles));
      simulated[i] = {
          {}, {cycles, work.l2, work.dram, busy_shares(gpu, run.kernel, cycles, tensor)}, clock};
      simulated[i].activity = std::move(run.activity);
    }
    progress(++done);
  });
  return simulated;
}

}  // namespace tilecast
