#include "validate/calibrate/fit_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "model/base/error.h"
#include "model/predict/legality.h"
#include "model/tile/any_op.h"
#include "model/tile/fp8_pairs.h"
#include "model/tile/kernel_config_text.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

constexpr double kNearBest = 1.2, kWeightNearBest = 3;

std::optional<FitRow> fit_row(const GpuSpec& gpu, const Measurement& m) {
  const Point& point = m.point;
  if (point.op != Op::kGemm || is_baseline(point.config) || !m.cycles || !m.sm_clock ||
      point.inputs != Inputs::kNormal || point.l2_state != L2State::kRotating) {
    return std::nullopt;
  }
  const KernelConfig config = parse_kernel_config(point.config);
  if (traits_of(config.schedule).one_k_block || !why_not_solvable(gpu, point.problem).empty() ||
      check_legal(gpu, point.problem, config) != Refusal::kNone) {
    return std::nullopt;
  }
  const GemmProblem problem = in_pairs(point.problem);
  const KernelConfig in_machine = in_pairs(point.problem.dtype, config);
  TrafficMemo traffic(*gpu.l2, problem);
  return FitRow{.point = point,
                .problem = problem,
                .config = in_machine,
                .work = gemm_work(gpu, problem, in_machine, traffic),
                .regime = point.regime,
                .cycles = *m.cycles,
                .clock = *m.sm_clock,
                .time = m.time->median,
                .weight = 1,
                .group = 0};
}

/// What rows are compared within.
std::string group_name(const GemmProblem& problem) { return to_text(AnyProblem{problem}); }

}  // namespace

FitRows fit_rows(const GpuSpec& gpu, const std::vector<MeasurementFile>& files, std::size_t least) {
  FitRows fit;
  std::map<std::string, int> groups;
  std::map<std::pair<int, Regime>, Seconds> best;
  std::size_t all = 0;
  for (const MeasurementFile& file : files) {
    for (const MeasurementRow& row : file.rows) {
      const std::string& name = row.measurement.context.gpu;
      if (name != gpu.name && name != gpu.product) {
        throw ConfigError(
            fmt::format("{}:{}: gpu: expected {}, got {}", file.name, row.line, gpu.name, name));
      }
    }
    all += file.rows.size();
  }
  for (const VerifiedRow& row : verified_rows(files)) {
    std::optional<FitRow> prepared;
    try {
      prepared = fit_row(gpu, row.measurement());
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}:{}: {}", row.file->name, row.row->line, error.what()));
    }
    if (!prepared) {
      continue;
    }
    prepared->group =
        groups.try_emplace(group_name(prepared->point.problem), fit.groups).first->second;
    fit.groups = static_cast<int>(groups.size());
    const auto [at, first] = best.try_emplace({prepared->group, prepared->regime}, prepared->time);
    at->second = std::min(at->second, prepared->time);
    fit.rows.push_back(*prepared);
  }
  fit.left_out = all - fit.rows.size();
  if (fit.rows.size() < least) {
    throw ConfigError(
        fmt::format("expected at least {} measured GEMMs to fit to, got {} ({} rows "
                    "left out)",
                    least, fit.rows.size(), fit.left_out));
  }
  for (FitRow& row : fit.rows) {
    row.weight = row.time < best.at({row.group, row.regime}) * kNearBest ? kWeightNearBest : 1;
  }
  return fit;
}

}  // namespace tilecast
