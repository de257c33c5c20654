#include "validate/calibrate/fit_rows.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/menu/legality.h"
#include "model/gemm/predict/kernel_features.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/learn/learned.h"
#include "model/ops/any_op.h"
#include "validate/record/point_group.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

constexpr double kWeightNearBest = 3;

std::optional<FitRow> fit_row(const GpuSpec& gpu, const Measurement& m) {
  const Point& point = m.point;
  const GemmProblem* const asked = std::get_if<GemmProblem>(&point.problem);
  if (asked == nullptr || is_baseline(point.config) || !m.cycles || !m.sm_clock ||
      point.inputs != Inputs::kNormal || point.l2_state != L2State::kRotating) {
    return std::nullopt;
  }
  const KernelConfig config = parse_kernel_config(point.config);
  // With operand copies a row's time covers two kernels.
  if (traits_of(config.schedule).one_k_block || never_learned(*asked) ||
      copied_operands(*asked).any() || !why_not_solvable(gpu, *asked).empty() ||
      check_legal(gpu, *asked, config) != Refusal::kNone) {
    return std::nullopt;
  }
  const KernelConfig in_machine = for_operands(asked->dtype, config);
  const GemmProblem problem = as_run(*asked, config);
  return FitRow{.point = point,
                .problem = problem,
                .config = in_machine,
                .work = gemm_work(gpu, problem, in_machine),
                .regime = point.regime,
                .cycles = *m.cycles,
                .clock = *m.sm_clock,
                .time = m.time->median,
                .weight = 1,
                .group = 0};
}

}  // namespace

FitRows fit_rows(const GpuSpec& gpu, const std::vector<MeasurementFile>& files, std::size_t least) {
  FitRows fit;
  std::map<std::string, int> sides;
  std::set<std::string> problems;
  BestTimes best;
  for (const VerifiedRow& row :
       verified_rows(files, {gpu.name, gpu.product}, OtherGpus::kRefused)) {
    std::optional<FitRow> prepared;
    try {
      prepared = fit_row(gpu, row.measurement());
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}: {}", row.where(), error.what()));
    }
    if (!prepared) {
      continue;
    }
    // A fold leaves out a problem entirely: both regimes, and the same shape in other types and
    // layouts.
    const AnyProblem& problem = prepared->point.problem;
    problems.insert(to_text(problem));
    prepared->group = sides.try_emplace(shape_text(problem), fit.groups).first->second;
    fit.groups = static_cast<int>(sides.size());
    best.note(group_key(prepared->point), prepared->time);
    fit.rows.push_back(*prepared);
  }
  for (const MeasurementFile& file : files) {
    fit.left_out += file.rows.size();
  }
  fit.left_out -= fit.rows.size();
  if (fit.rows.size() < least) {
    throw ConfigError(
        fmt::format("expected at least {} measured GEMMs to fit to, got {} ({} rows "
                    "left out)",
                    least, fit.rows.size(), fit.left_out));
  }
  fit.problems = static_cast<int>(problems.size());
  for (FitRow& row : fit.rows) {
    row.weight = best.is_near(group_key(row.point), row.time) ? kWeightNearBest : 1;
  }
  return fit;
}

}  // namespace tilecast
