#include "validate/calibrate/fit_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/menu/legality.h"
#include "model/gemm/predict/kernel_features.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/learn/learned.h"
#include "model/ops/any_op.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

constexpr double kWeightNearBest = 3;
// The mean power of windows of 0.1 s under continuous load has a standard deviation of 4 % between
// repetitions, of 1 s 0.4 %: the limiter swings slowly.
constexpr Seconds kLongWindow{0.5};
// With 122 of them the clock of held-out ones is 2.1 % off, with or without rows of 0.1 s; with 92
// of two cards it is 2.0 % without and 1.8 % with them.
constexpr std::ptrdiff_t kEnoughLongWindows = 120;

std::optional<FitRow> fit_row(const GpuSpec& gpu, const Measurement& m) {
  const Point& point = m.point;
  const GemmProblem* const asked = std::get_if<GemmProblem>(&point.problem);
  if (asked == nullptr || is_baseline(point.config) || !m.cycles || !m.sm_clock ||
      point.inputs != Inputs::kNormal || point.l2_state != L2State::kRotating) {
    return std::nullopt;
  }
  const KernelConfig config = parse_kernel_config(point.config);
  // With operand copies, a row's time covers two kernels.
  if (traits_of(config.schedule).one_k_block || copied_operands(*asked).any() ||
      !why_not_solvable(gpu, *asked).empty() ||
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
                .window = m.time->median * static_cast<double>(m.time->samples),
                .weight = 1,
                .group = 0};
}

/// Removes rows of short windows under continuous load if enough have long ones.
void keep_long_windows(std::vector<FitRow>& rows) {
  const auto loaded = [](const FitRow& row, bool is_long) {
    return row.regime == Regime::kSustained && (row.window >= kLongWindow) == is_long;
  };
  if (std::ranges::count_if(rows, [&](const FitRow& row) { return loaded(row, true); }) >=
      kEnoughLongWindows) {
    std::erase_if(rows, [&](const FitRow& row) { return loaded(row, false); });
  }
}

}  // namespace

LearnRows learn_rows(const FitRows& rows) {
  LearnRows seen{{}, rows.groups};
  for (const FitRow& row : rows.rows) {
    seen.rows.push_back({row.point, row.clock, row.weight, row.group});
  }
  return seen;
}

int RowGroups::group_of(const Point& point, Seconds time) {
  problems_.insert(to_text(point.problem));
  best_.note(group_key(point), time);
  return shapes_.try_emplace(shape_text(point.problem), groups()).first->second;
}

double RowGroups::weight_of(const Point& point, Seconds time) const {
  return best_.is_near(group_key(point), time) ? kWeightNearBest : 1;
}

FitRows fit_rows(const GpuSpec& gpu, const std::vector<MeasurementFile>& files, std::size_t least) {
  FitRows fit;
  RowGroups groups;
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
    fit.rows.push_back(*prepared);
  }
  keep_long_windows(fit.rows);
  for (FitRow& row : fit.rows) {
    // A fold holds out a whole group.
    row.group = groups.group_of(row.point, row.time);
  }
  for (const MeasurementFile& file : files) {
    fit.left_out += file.rows.size() + file.outdated;
  }
  fit.left_out -= fit.rows.size();
  refuse_if(fit.rows.size() < least,
            "expected at least {} measured GEMMs, got {} (excluded rows, such as those of "
            "other operations, unverified or repeated: {})",
            least, fit.rows.size(), fit.left_out);
  fit.problems = groups.problems();
  fit.groups = groups.groups();
  for (FitRow& row : fit.rows) {
    row.weight = groups.weight_of(row.point, row.time);
  }
  return fit;
}

}  // namespace tilecast
