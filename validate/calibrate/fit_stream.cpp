#include "validate/calibrate/fit_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/spec/gpu_fields.h"
#include "model/stream/stream_closed_form.h"
#include "model/stream/stream_config_text.h"
#include "model/stream/stream_rules.h"
#include "validate/calibrate/parameter_fit.h"
#include "validate/record/point_group.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

constexpr double kScale = 0.05;  // larger errors count linearly
// A constant whose standard error exceeds this fraction of the prior's width is undetermined.
constexpr double kDetermined = 0.7;
constexpr double kCoverage = 0.9;
constexpr std::size_t kLeastStreamRows = 60;  // about six per constant
constexpr double kWeightNearBestStream = 3;

struct StreamRow {
  Point point;
  StreamProblem problem;
  StreamConfig config;
  Hertz clock;
  Seconds time;
  double weight;
};

std::optional<StreamRow> stream_row(const GpuSpec& gpu, const Measurement& m) {
  const Point& point = m.point;
  const StreamProblem* const asked = std::get_if<StreamProblem>(&point.problem);
  if (asked == nullptr || is_baseline(point.config)) {
    return std::nullopt;
  }
  const StreamProblem& problem = *asked;
  const StreamConfig config = parse_stream_config(point.config);
  if (check_legal(gpu, problem, config) != Refusal::kNone) {
    return std::nullopt;
  }
  return StreamRow{point, problem, config, m.sm_clock.value_or(gpu.clock->max), m.time->median, 1};
}

struct Rows {
  std::vector<StreamRow> fitted, checked;
  std::size_t left_out = 0;
};

void weigh(std::vector<StreamRow>& rows) {
  BestTimes best;
  for (const StreamRow& row : rows) {
    best.note(group_key(row.point), row.time);
  }
  for (StreamRow& row : rows) {
    row.weight = best.is_near(group_key(row.point), row.time) ? kWeightNearBestStream : 1;
  }
}

Rows rows_of(const GpuSpec& gpu, const std::vector<MeasurementFile>& files) {
  Rows rows;
  for (const VerifiedRow& row :
       verified_rows(files, {gpu.name, gpu.product}, OtherGpus::kRefused)) {
    if (const std::optional<StreamRow> taken = stream_row(gpu, row.measurement())) {
      (taken->problem.dtype == ElementType::kFp32 ? rows.fitted : rows.checked).push_back(*taken);
    }
  }
  rows.left_out = rows_with<StreamProblem>(files) - rows.fitted.size() - rows.checked.size();
  if (rows.fitted.size() < kLeastStreamRows) {
    rows.fitted.insert(rows.fitted.end(), rows.checked.begin(), rows.checked.end());
    rows.checked.clear();
  }
  weigh(rows.fitted);
  return rows;
}

/// Log ratio of measured to analytic time.
double residual(const GpuSpec& gpu, const StreamRow& row) {
  const StreamForm form = form_at(gpu, row.problem, row.config, row.clock);
  return std::log(row.time / time_of(form.cycles, row.clock));
}

double error_of(double residual) { return std::abs(std::exp(-residual) - 1); }

std::vector<Parameter> of_streams(const GpuSpec& spec) { return parameters_of(spec, {"stream"}); }

std::vector<double> residuals_of(const GpuSpec& gpu, const std::vector<StreamRow>& rows) {
  std::vector<double> residuals;
  for (const StreamRow& row : rows) {
    residuals.push_back(residual(gpu, row));
  }
  return residuals;
}

/// Fits to the rows for which `sees` returns true, starting from the numbers of `prior`.
template <class Sees>
ParameterFit fit_rows_of(const LoadedGpu& prior, const std::vector<StreamRow>& rows,
                         const Sees& sees) {
  std::vector<StreamRow> seen;
  std::vector<double> weights;
  for (const StreamRow& row : rows) {
    if (sees(row)) {
      seen.push_back(row);
      weights.push_back(row.weight);
    }
  }
  return fit_parameters(
      prior, of_streams(prior.spec), [&](const GpuSpec& gpu) { return residuals_of(gpu, seen); },
      weights, kScale);
}

/// Whether the row is in a fixed half of the configurations, the same half on every machine.
bool in_first_half(const StreamRow& row) {
  unsigned hash = 2166136261u;
  for (const char c : row.point.config) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  }
  return (hash >> 16 & 1) == 0;
}

/// Leave-one-out residual of each row.
std::vector<double> residuals_left_out(const LoadedGpu& prior, const GpuSpec& fitted,
                                       const Rows& rows) {
  std::vector<double> residuals = residuals_of(fitted, rows.checked);
  for (const bool half : {false, true}) {
    const auto sees = [half](const StreamRow& row) { return in_first_half(row) == half; };
    const ParameterFit other = fit_rows_of(prior, rows.fitted, sees);
    for (const StreamRow& row : rows.fitted) {
      if (!sees(row)) {
        residuals.push_back(residual(other.gpu, row));
      }
    }
  }
  return residuals;
}

}  // namespace

StreamFit fit_stream(LoadedGpu& gpu, const std::vector<MeasurementFile>& files) {
  refuse_if(!gpu.spec.stream, "{}: has no section `stream`, from which the fit starts",
            gpu.spec.name);
  const Rows rows = rows_of(gpu.spec, files);
  refuse_if(rows.fitted.size() < kLeastStreamRows,
            "expected at least {} measured copies and additions, got {} (excluded rows, such as "
            "those of other operations, unverified or repeated: {})",
            kLeastStreamRows, rows.fitted.size(), rows.left_out);
  StreamFit fit{.rows = rows.fitted.size(),
                .checked = rows.checked.size(),
                .left_out = rows.left_out,
                .constants = {},
                .error_before = mean_error(residuals_of(gpu.spec, rows.fitted)),
                .error_after = 0,
                .error_left_out = 0};
  ParameterFit all = fit_rows_of(gpu, rows.fitted, [](const StreamRow&) { return true; });
  note_determined(of_streams(gpu.spec), kDetermined, all);
  fit.constants = all.constants;
  std::vector<double> left_out = residuals_left_out(gpu, all.gpu, rows);
  fit.error_after = mean_error(residuals_of(all.gpu, rows.fitted));
  fit.error_left_out = mean_error(left_out);
  std::ranges::transform(left_out, left_out.begin(), error_of);
  const auto rank = left_out.begin() + static_cast<std::ptrdiff_t>(
                                           kCoverage * static_cast<double>(left_out.size() - 1));
  std::nth_element(left_out.begin(), rank, left_out.end());
  const double interval_before = gpu.spec.stream->interval;
  gpu.spec.stream = all.gpu.stream;
  const Field interval = field_of(gpu.spec, "stream.interval");
  gpu.spec.stream->interval = std::clamp(*rank, interval.least, interval.most);
  note_bounds(gpu.spec, fit.constants);
  fit.constants.push_back({.key = "stream.interval",
                           .unit = "1",
                           .prior = interval_before,
                           .value = gpu.spec.stream->interval,
                           .standard_error = 0,
                           .determined = true,
                           .most_correlated = {},
                           .correlation = 0});
  return fit;
}

std::string to_table(const StreamFit& fit) {
  std::string text = fmt::format(
      "{} copies and additions in the fit, {} of other types as a check, {} rows omitted.\n\n"
      "  {:<28} {:>10} {:>10} {:>8}\n",
      fit.rows, fit.checked, fit.left_out, "constant", "prior", "fitted", "error");
  for (const FittedConstant& c : fit.constants) {
    text += fmt::format("  {:<28} {:>10.4g} {:>10.4g} {:>8} {}\n", c.key, c.prior, c.value,
                        !c.determined          ? "-"
                        : c.standard_error > 0 ? fmt::format("{:.2g}", c.standard_error)
                                               : "",
                        c.unit);
  }
  return text + bound_lines(fit.constants) +
         fmt::format(
             "\nMean error: {:.1f} % with the priors, {:.1f} % fitted, {:.1f} % on "
             "held-out rows\n",
             100 * fit.error_before, 100 * fit.error_after, 100 * fit.error_left_out);
}

}  // namespace tilecast
