// Synthetic rows for tests, of a GPU whose cycles are the analytic model's times a factor, and
// whose clock follows from them.
#pragma once

#include <functional>
#include <vector>

#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/rank/settled_clock.h"
#include "validate/calibrate/fit_constants.h"
#include "validate/record/example_measurement.h"

namespace tilecast {

using CyclesFactor = std::function<double(const GemmProblem&, const KernelConfig&)>;

inline double as_predicted(const GemmProblem&, const KernelConfig&) { return 1; }

inline Measurement example_gemm_row(const GpuSpec& gpu, const GemmProblem& problem,
                                    const KernelConfig& config, Regime regime,
                                    const CyclesFactor& factor) {
  const GemmProblem run = as_run(problem, config);
  const GemmWork work = gemm_work(gpu, run, config);
  const double slower = factor(problem, config);
  const FitRow row{.problem = run, .config = config, .work = work, .regime = regime};
  const auto cycles_at = [&](Hertz f) {
    return closed_form(gpu, run, config, work, f).cycles * slower;
  };
  const auto settled = settled_cycles(gpu, activity_of(gpu, row), gpu.clock->tensor_plateau, regime,
                                      Inputs::kNormal, cycles_at);
  const Hertz clock = settled.clock.sm_clock;
  const Cycles cycles = cycles_at(clock);
  Measurement m = example_measurement(to_text(config), time_of(cycles, clock));
  m.context.gpu = gpu.name;
  m.point.problem = problem;
  m.point.regime = regime;
  m.revision = current_revision(m.point);
  m.cycles = cycles;
  m.sm_clock = clock;
  return m;
}

/// Rows of different problems, from problem number `first` on; every fifth row is sustained.
/// Configurations are spread over the candidates of each problem.
inline std::vector<Measurement> example_gemm_rows(const GpuSpec& gpu, int first, int problems,
                                                  std::size_t configs, const CyclesFactor& factor) {
  constexpr i64 kM[] = {256, 4096, 640, 1536}, kN[] = {4096, 512, 1152},
                kK[] = {512, 4096, 1024, 3072, 768, 2048, 1472};
  std::vector<Measurement> rows;
  for (int i = first; i < first + problems; ++i) {
    const GemmProblem problem{{kM[i % 4] + 64 * (i / 84), kN[i % 3], kK[i % 7]},
                              ElementType::kFp16,
                              i % 11 == 6 ? Layout::kNn : Layout::kTn};
    const std::vector<KernelConfig> legal = enumerate_candidates(gpu, problem, {}).legal;
    for (std::size_t c = 0; c < configs; ++c) {
      const KernelConfig& config = legal[(c * legal.size() + legal.size() / 2) / configs];
      const Regime regime = rows.size() % 5 == 4 ? Regime::kSustained : Regime::kBurst;
      rows.push_back(example_gemm_row(gpu, problem, config, regime, factor));
    }
  }
  return rows;
}

inline MeasurementFile file_of(const std::vector<Measurement>& rows) {
  MeasurementFile file{.name = "x.csv"};
  for (const Measurement& row : rows) {
    file.rows.push_back({static_cast<i64>(file.rows.size()) + 2, row});
  }
  return file;
}

}  // namespace tilecast
