#include "validate/compare/simulated_error.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "model/analytic/closed_form.h"
#include "model/analytic/occupancy.h"
#include "model/predict/legality.h"
#include "model/sim/simulate.h"
#include "model/tile/any_op.h"
#include "model/tile/fp8_pairs.h"
#include "model/tile/kernel_config_text.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

constexpr double kNearBest = 1.2;

bool is_simulated(const Measurement& row) {
  return is_verified(row) && row.point.op == Op::kGemm && !is_baseline(row.point.config) &&
         row.cycles && row.sm_clock && row.time;
}

std::optional<SimulatedPoint> simulate_row(const GpuSpec& gpu, const Measurement& row) {
  const GemmProblem problem = in_pairs(row.point.problem);
  const KernelConfig config =
      in_pairs(row.point.problem.dtype, parse_kernel_config(row.point.config));
  if (check_legal(gpu, problem, config) != Refusal::kNone) {
    return std::nullopt;
  }
  const Residency residency{resident_ctas(gpu, config), resident_workers(gpu, config)};
  const Hertz clock = *row.sm_clock;
  TrafficMemo traffic(*gpu.l2, problem);
  const GemmWork work = gemm_work(gpu, problem, config, traffic);
  return SimulatedPoint{
      .group = fmt::format("{} {} {} {}", shape_text(problem), to_text(problem.layout),
                           to_text(row.point.regime), to_text(row.point.l2_state)),
      .config = config,
      .measured = *row.cycles,
      .simulated = simulate_gemm(gpu, problem, config, residency, clock).cycles,
      .closed_form = closed_form(gpu, problem, config, work, clock).cycles,
      .time = row.time->median};
}

double mean_tau(const std::vector<const SimulatedPoint*>& points, Cycles SimulatedPoint::*model) {
  std::map<std::string, std::pair<Values, Values>> groups;
  for (const SimulatedPoint* point : points) {
    groups[point->group].first.push_back(point->measured.value);
    groups[point->group].second.push_back((point->*model).value);
  }
  Values taus;
  for (const auto& [name, values] : groups) {
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
  for (const MeasurementFile& file : files) {
    for (const MeasurementRow& row : file.rows) {
      if (is_simulated(row.measurement)) {
        rows.push_back(&row.measurement);
      }
    }
  }
  std::vector<std::optional<SimulatedPoint>> found(rows.size());
  std::atomic<std::size_t> next{0};
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
      threads.emplace_back([&] {
        for (std::size_t row = next++; row < rows.size(); row = next++) {
          found[row] = simulate_row(gpu, *rows[row]);
        }
      });
    }
  }
  std::vector<SimulatedPoint> points;
  for (std::optional<SimulatedPoint>& point : found) {
    if (point) {
      points.push_back(std::move(*point));
    }
  }
  return points;
}

SimulatedReport report_of(const std::vector<SimulatedPoint>& points) {
  std::map<std::string, Seconds> best;
  for (const SimulatedPoint& point : points) {
    const auto [at, is_new] = best.try_emplace(point.group, point.time);
    at->second = std::min(at->second, point.time);
  }
  std::vector<const SimulatedPoint*> all, near_best;
  std::map<std::string, std::vector<const SimulatedPoint*>> by_schedule;
  for (const SimulatedPoint& point : points) {
    all.push_back(&point);
    by_schedule[std::string(to_text(point.config.schedule))].push_back(&point);
    if (point.time <= best.at(point.group) * kNearBest) {
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
