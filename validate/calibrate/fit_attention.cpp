#include "validate/calibrate/fit_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/attention/attention_model.h"
#include "model/attention/attention_text.h"
#include "model/base/error.h"
#include "model/base/parallel.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/ops/any_op.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

constexpr double kAttentionScale = 0.1;           // larger errors count linearly
constexpr double kDeterminedAttention = 0.8;      // of the prior's width; with a larger standard
                                                  // error a constant is undetermined
constexpr std::size_t kLeastAttentionRows = 300;  // about 25 rows for each constant

struct AttentionRow {
  Point point;
  AttentionProblem problem;
  AttentionConfig config;
  AttentionPlan plan;  // independent of fitted constants
  Cycles cycles;
  Hertz clock;
  Seconds time;
  double weight;
  int group;
};

struct AttentionRows {
  std::vector<AttentionRow> rows;
  std::size_t left_out = 0;
  int problems = 0, groups = 0;
};

std::optional<AttentionRow> attention_row(const GpuSpec& gpu, const Measurement& m) {
  const Point& point = m.point;
  const AttentionProblem* const problem = std::get_if<AttentionProblem>(&point.problem);
  if (problem == nullptr || is_baseline(point.config) || !m.cycles || !m.sm_clock ||
      point.inputs != Inputs::kNormal || point.l2_state != L2State::kRotating) {
    return std::nullopt;
  }
  const AttentionConfig config = std::get<AttentionConfig>(parse_config(point.config));
  if (check_legal(gpu, *problem, config) != Refusal::kNone) {
    return std::nullopt;
  }
  AttentionPlans plans(gpu, *problem);
  return AttentionRow{.point = point,
                      .problem = *problem,
                      .config = config,
                      .plan = plans.of(config),
                      .cycles = *m.cycles,
                      .clock = *m.sm_clock,
                      .time = m.time->median,
                      .weight = 1,
                      .group = 0};
}

AttentionRows attention_rows(const GpuSpec& gpu, const std::vector<MeasurementFile>& files) {
  AttentionRows all;
  RowGroups groups;
  for (const VerifiedRow& row :
       verified_rows(files, {gpu.name, gpu.product}, OtherGpus::kRefused)) {
    if (std::optional<AttentionRow> taken = attention_row(gpu, row.measurement())) {
      taken->group = groups.group_of(taken->point, taken->time);
      all.rows.push_back(*std::move(taken));
    }
  }
  for (AttentionRow& row : all.rows) {
    row.weight = groups.weight_of(row.point, row.time);
  }
  all.left_out = rows_with<AttentionProblem>(files) - all.rows.size();
  all.problems = groups.problems();
  all.groups = groups.groups();
  return all;
}

AttentionForm form_of(const GpuSpec& gpu, const AttentionRow& row, Hertz clock) {
  return closed_form(gpu, row.problem, row.config, row.plan, clock);
}

/// Log ratio of measured to analytic cycles, at the measured clock.
std::vector<double> attention_residuals(const GpuSpec& gpu, const AttentionRows& rows,
                                        unsigned threads) {
  std::vector<double> residuals(rows.rows.size());
  parallel_for(residuals.size(), threads, [&](std::size_t i) {
    const AttentionRow& row = rows.rows[i];
    residuals[i] = std::log(row.cycles / form_of(gpu, row, row.clock).cycles);
  });
  return residuals;
}

void fit_section(LoadedGpu& gpu, const AttentionRows& rows, unsigned threads, AttentionFit& fit) {
  std::vector<double> weights;
  std::ranges::transform(rows.rows, std::back_inserter(weights), &AttentionRow::weight);
  const std::vector<Parameter> parameters = parameters_of(gpu.spec, {"attention"});
  ParameterFit fitted = fit_parameters(
      gpu, parameters,
      [&](const GpuSpec& spec) { return attention_residuals(spec, rows, threads); }, weights,
      kAttentionScale);
  note_determined(parameters, kDeterminedAttention, fitted);
  fit.constants = fitted.constants;
  gpu.spec.attention = fitted.gpu.attention;
  note_bounds(gpu.spec, fit.constants);
}

/// Computes for attention what see_rows computes for GEMMs. Keeps references to its arguments.
SeenRows see_attention(const GpuSpec& gpu, const AttentionRows& rows, unsigned threads) {
  const std::size_t count = rows.rows.size();
  SeenRows seen{.features = std::vector<KernelFeatures>(count),
                .cycles_off = Eigen::VectorXd(static_cast<Eigen::Index>(count)),
                .clock_off = Eigen::VectorXd(static_cast<Eigen::Index>(count)),
                .corrected = {}};
  seen.corrected = [&](std::size_t i, double log) {
    const AttentionRow& row = rows.rows[i];
    return settled_cycles(gpu, form_of(gpu, row, row.clock).activity, row.clock, row.point.regime,
                          Inputs::kNormal,
                          [&](Hertz f) { return form_of(gpu, row, f).cycles * std::exp(log); });
  };
  parallel_for(count, threads, [&](std::size_t i) {
    const AttentionRow& row = rows.rows[i];
    const auto [form, clock] =
        settled_form({gpu, row.problem, row.point.regime, Inputs::kNormal}, row.config, row.plan);
    seen.features[i] = attention_features(gpu, row.problem, row.config, row.plan, form,
                                          clock.sm_clock, row.point.regime);
    const auto at = static_cast<Eigen::Index>(i);
    seen.cycles_off[at] = std::log(row.cycles / form_of(gpu, row, row.clock).cycles);
    seen.clock_off[at] =
        std::log(row.clock / seen.corrected(i, seen.cycles_off[at]).clock.sm_clock);
  });
  return seen;
}

LearnRows learn_rows(const AttentionRows& rows) {
  LearnRows seen{{}, rows.groups};
  for (const AttentionRow& row : rows.rows) {
    seen.rows.push_back({row.point, row.clock, row.weight, row.group});
  }
  return seen;
}

}  // namespace

AttentionFit fit_attention(LoadedGpu& gpu, const std::vector<MeasurementFile>& files,
                           bool fit_constants, unsigned threads,
                           const std::function<void(const std::string&)>& progress) {
  refuse_if(!gpu.spec.attention, "{}: has no section `attention`, from which the fit starts",
            gpu.spec.name);
  const AttentionRows rows = attention_rows(gpu.spec, files);
  refuse_if(
      rows.rows.size() < kLeastAttentionRows,
      "expected at least {} measured attention kernels, got {} (excluded rows, such as those of "
      "other operations, unverified or repeated: {})",
      kLeastAttentionRows, rows.rows.size(), rows.left_out);
  AttentionFit fit{.rows = rows.rows.size(),
                   .left_out = rows.left_out,
                   .problems = rows.problems,
                   .constants = {},
                   .error_before = mean_error(attention_residuals(gpu.spec, rows, threads)),
                   .error_after = 0,
                   .learned = {}};
  if (fit_constants) {
    progress("constants of attention");
    fit_section(gpu, rows, threads, fit);
  }
  fit.error_after = mean_error(attention_residuals(gpu.spec, rows, threads));
  const SeenRows seen = see_attention(gpu.spec, rows, threads);
  fit.learned =
      fit_learned(learn_rows(rows), kAttentionFeatures, seen, seen, false, {}, threads, progress);
  gpu.spec.attention_learned = std::make_shared<const LearnedModel>(fit.learned.model);
  return fit;
}

std::string to_table(const AttentionFit& fit) {
  std::string text =
      fmt::format("{} of {}, {} excluded.\n", counted(fit.rows, "attention kernel"),
                  counted(static_cast<std::size_t>(fit.problems), "problem"), fit.left_out);
  if (!fit.constants.empty()) {
    text += fmt::format("\n  {:<28} {:>10} {:>10} {:>8}\n{}{}", "constant", "prior", "fitted",
                        "error", constant_lines(fit.constants), bound_lines(fit.constants));
  }
  const LeftOutError& left = fit.learned.analytic;
  return text + fmt::format(
                    "\nAnalytic cycles at measured clocks, mean error: {:.1f} % before, {:.1f} % "
                    "fitted\n\nLearned correction, on held-out problems:\n{}",
                    100 * fit.error_before, 100 * fit.error_after, error_line("analytic", left));
}

}  // namespace tilecast
