#include "validate/compare/simulated_error.h"

#include <optional>

#include "model/analytic/closed_form.h"
#include "model/analytic/occupancy.h"
#include "model/base/parallel.h"
#include "model/predict/legality.h"
#include "model/sim/simulate.h"
#include "model/tile/any_op.h"
#include "model/tile/fp8_pairs.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/swapped_operands.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

bool is_simulated(const Measurement& row) {
  return row.point.op == Op::kGemm && !is_baseline(row.point.config) && row.cycles && row.sm_clock;
}

std::optional<SimulatedPoint> simulate_row(const GpuSpec& gpu, const Measurement& row) {
  const KernelConfig config =
      in_pairs(row.point.problem.dtype, parse_kernel_config(row.point.config));
  if (check_legal(gpu, in_pairs(row.point.problem), config) != Refusal::kNone) {
    return std::nullopt;
  }
  const GemmProblem problem = as_run(in_pairs(row.point.problem), config);
  const Residency residency{resident_ctas(gpu, config), resident_workers(gpu, config)};
  const Hertz clock = *row.sm_clock;
  const GemmWork work = gemm_work(gpu, problem, config);
  return SimulatedPoint{.group = group_key(row.point),
                        .config = config,
                        .measured = *row.cycles,
                        .simulated = simulate_gemm(gpu, problem, config, residency, clock).cycles,
                        .closed_form = closed_form(gpu, problem, config, work, clock).cycles,
                        .time = row.time->median};
}

double mean_tau(const std::vector<const SimulatedPoint*>& points, Cycles SimulatedPoint::*model) {
  std::map<GroupKey, std::pair<Values, Values>> groups;
  for (const SimulatedPoint* point : points) {
    groups[point->group].first.push_back(point->measured.value);
    groups[point->group].second.push_back((point->*model).value);
  }
  Values taus;
  for (const auto& [group, values] : groups) {
    if (const std::optional<double> tau = kendall_tau(values.first, values.second)) {
      taus.push_back(*tau);
    }
  }
  return taus.empty() ? 0 : mean(taus);
}

SimulatedErrors errors_of(const std::vector<const SimulatedPoint*>& points) {
  const auto figures = [&](Cycles SimulatedPoint::*model) {
    Values errors;
    for (const SimulatedPoint* point : points) {
      errors.push_back((point->*model) / point->measured - 1);
    }
    return error_figures(errors).value_or(ErrorFigures{});
  };
  return {figures(&SimulatedPoint::simulated), figures(&SimulatedPoint::closed_form),
          mean_tau(points, &SimulatedPoint::simulated),
          mean_tau(points, &SimulatedPoint::closed_form)};
}

}  // namespace

std::vector<SimulatedPoint> simulate_rows(const GpuSpec& gpu,
                                          const std::vector<MeasurementFile>& files) {
  std::vector<const Measurement*> rows;
  for (const VerifiedRow& row :
       verified_rows(files, {gpu.name, gpu.product}, OtherGpus::kRefused)) {
    if (is_simulated(row.measurement())) {
      rows.push_back(&row.measurement());
    }
  }
  std::vector<std::optional<SimulatedPoint>> found(rows.size());
  parallel_for(rows.size(), 0, [&](std::size_t i) { found[i] = simulate_row(gpu, *rows[i]); });
  std::vector<SimulatedPoint> points;
  for (std::optional<SimulatedPoint>& point : found) {
    if (point) {
      points.push_back(std::move(*point));
    }
  }
  return points;
}

SimulatedReport report_of(const std::vector<SimulatedPoint>& points) {
  BestTimes best;
  for (const SimulatedPoint& point : points) {
    best.note(point.group, point.time);
  }
  std::vector<const SimulatedPoint*> all, near_best;
  std::map<std::string, std::vector<const SimulatedPoint*>> by_schedule;
  for (const SimulatedPoint& point : points) {
    all.push_back(&point);
    by_schedule[std::string(to_text(point.config.schedule))].push_back(&point);
    if (best.is_near(point.group, point.time)) {
      near_best.push_back(&point);
    }
  }
  SimulatedReport report{errors_of(all), errors_of(near_best), {}};
  for (const auto& [schedule, chosen] : by_schedule) {
    report.by_schedule[schedule] = errors_of(chosen);
  }
  return report;
}

}  // namespace tilecast
