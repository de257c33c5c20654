#include "model/predict/cublaslt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>

#include "model/base/element_type_text.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/ops/problem_fields.h"
#include "model/spec/kept_gpu.h"

namespace tilecast {
namespace {

constexpr std::array<std::string_view, 11> kColumnNames{
    "shape", "dtype", "dtype_c", "layout", "epilogue", "accumulate",
    "lda",   "ldb",   "ldc",     "regime", "time_us"};
constexpr std::string_view kForecastColumn = "forecast_us";

// Widths of the two kernel averages, in units of the features, and the weights of the priors that
// they shrink to. Chosen on the rows by eight folds of problems (cublaslt_test.cpp).
constexpr double kNarrow = 0.3, kWide = 1.2, kPull = 0.5, kPullOfAll = 0.02;
// Half-width of the 90 % interval in standard deviations of the ratios around their mean, and the
// lowest standard deviation: the spread between GPUs and repeats.
constexpr double kReach = 1.6, kLeastDeviation = 0.012, kDeviationOfAll = 0.2;
// A row whose forecast has changed by more comes from another model: only its ratio is used.
constexpr double kSameForecast = 0.03;

// Length scales of the features: problems further apart are hardly correlated. Logarithm of M and
// N; of K; filled part of the last wave; logarithm of alignments; of the batch. Then distances
// between categories.
constexpr double kSide = 1.5, kDepth = 2, kFilled = 0.25, kAligned = 10 / 3.0, kBatch = 3;
constexpr double kOtherKernels = 6, kFp8 = 4, kBlockScales = 4, kScales = 2, kOtherLayout = 0.7,
                 kExact = 1, kEpilogue = 0.5, kOtherRegime = 1;
constexpr double kMicrosecond = 1e-6;

using ProblemFeatures = CublasltRows::Features;

/// log2 of the alignment in bytes of rows of `elements`, at most 16 bytes.
i32 log2_alignment(i64 elements, i32 bytes) {
  i32 log2 = 0;
  while (log2 < 4 && ((elements * bytes) >> log2) % 2 == 0) {
    ++log2;
  }
  return log2;
}

/// Fraction of the last wave's SMs that have a tile, on average over the waves.
double filled(int sms, const GemmProblem& p, i64 block_m, i64 block_n) {
  const double waves = static_cast<double>(ceil_div(p.shape.m, block_m) *
                                           ceil_div(p.shape.n, block_n) * p.batch.products) /
                       sms;
  return waves / std::ceil(waves);
}

ProblemFeatures features_of(int sms, const GemmProblem& p, Regime regime) {
  const auto log2_of = [](i64 count) { return std::log2(static_cast<double>(count)); };
  const auto if_so = [](bool so, double apart) { return so ? apart : 0.0; };
  // Alignment of the rows' pitch and of their length; cuBLASLt checks both.
  const auto aligned = [](i64 row, i64 columns, ElementType type) {
    return std::min(log2_alignment(row != 0 ? row : columns, element_bytes(type)),
                    log2_alignment(columns, element_bytes(type)));
  };
  const i32 align_a = aligned(p.leading.a, sides_of_a(p).columns, p.dtype),
            align_b = aligned(p.leading.b, sides_of_b(p).columns, p.dtype),
            align_c = aligned(p.leading.c, c_columns(p), c_type(p));
  // cuBLASLt uses wgmma kernels for rows aligned to 16 bytes, Ampere's for 4 and 8, and older ones
  // for 2.
  const i32 worst = std::min({align_a, align_b, align_c});
  const int family = worst == 4 ? 0 : worst >= 2 ? 1 : 2;
  const bool scaled = p.epilogue.has(OutputKind::kScale);
  return {log2_of(p.shape.m) / kSide,
          log2_of(p.shape.n) / kSide,
          log2_of(p.shape.k) / kDepth,
          filled(sms, p, 128, 256) / kFilled,
          filled(sms, p, 256, 128) / kFilled,
          kOtherKernels * family,
          align_a / kAligned,
          align_b / kAligned,
          align_c / kAligned,
          if_so(is_fp8(p.dtype), kFp8),
          if_so(has_block_scales(p.epilogue), kBlockScales),
          if_so(scaled, kScales),
          if_so(p.layout == Layout::kNn, kOtherLayout),
          if_so(p.layout == Layout::kNt || p.layout == Layout::kTt, kOtherLayout),
          log2_of(p.batch.products) / kBatch,
          if_so(p.accumulate == Accumulate::kExact, kExact),
          if_so(!scaled && p.epilogue != Epilogue{}, kEpilogue),
          if_so(regime == Regime::kSustained, kOtherRegime)};
}

double squared_distance(const ProblemFeatures& a, const ProblemFeatures& b) {
  return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0, std::plus<>{},
                               [](double x, double y) { return (x - y) * (x - y); });
}

std::string header() { return fmt::format("{},{}", fmt::join(kColumnNames, ","), kForecastColumn); }

Seconds time_in(std::string_view cell, std::string_view column) {
  const std::optional<double> value = parse_number(cell);
  if (!value || !(*value > 0)) {
    throw ConfigError(fmt::format("{}: expected microseconds, got '{}'", column, cell));
  }
  return Seconds{*value * kMicrosecond};
}

}  // namespace

CublasltRows::CublasltRows(const std::filesystem::path& csv, int sms) {
  const std::string text = read_text(csv);
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (line.empty() || line.front() == '#') {
      continue;
    }
    try {
      const std::vector<std::string_view> cells = split(line, ',');
      if (line == header()) {
        continue;
      }
      if (cells.size() != kColumnNames.size() + 1) {
        throw ConfigError("expected the columns " + header());
      }
      FieldTexts given;
      for (std::size_t column = 2; column < 9; ++column) {
        if (!cells[column].empty()) {
          given.emplace(kColumnNames[column], cells[column]);
        }
      }
      const GemmProblem problem = std::get<GemmProblem>(
          problem_of(Op::kGemm, cells[0], parse_element_type(cells[1]), given));
      const Regime regime = parse_regime(std::string(cells[9]));
      const Seconds measured = time_in(cells[10], kColumnNames[10]);
      const Seconds forecast = time_in(cells[11], kForecastColumn);
      rows_.push_back({problem, regime, measured, forecast, std::log(measured / forecast),
                       features_of(sms, problem, regime)});
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}:{}: {}", csv.string(), number, error.what()));
    }
  }
  if (rows_.empty()) {
    throw ConfigError(csv.string() + ": expected measured rows");
  }
  std::vector<double> off;
  std::ranges::transform(rows_, std::back_inserter(off), &Row::off);
  std::ranges::nth_element(off, off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2));
  usual_ = off[off.size() / 2];
}

CublasltTime CublasltRows::forecast(const GemmProblem& problem, Regime regime, Seconds ours,
                                    int sms, bool own) const {
  TILECAST_ASSERT(problem.groups == nullptr && ours.value > 0);
  const ProblemFeatures asked = features_of(sms, problem, regime);
  // Sums of weights, of weighted offsets and of their squares.
  struct Sums {
    double weight = 0, off = 0, square = 0;
    void add(double w, double value) {
      weight += w;
      off += w * value;
      square += w * value * value;
    }
  } near, wide;
  for (const Row& row : rows_) {
    if (own && row.regime == regime && row.problem == problem &&
        std::abs(std::log(ours / row.forecast)) < kSameForecast) {
      const double reach = kReach * kLeastDeviation;
      return {row.measured,
              row.measured * (1 - reach),
              row.measured * (1 + reach),
              row.measured / ours,
              1,
              true};
    }
    const double apart = squared_distance(asked, row.features) / 2;
    near.add(std::exp(-apart / (kNarrow * kNarrow)), row.off);
    wide.add(std::exp(-apart / (kWide * kWide)), row.off);
  }
  const auto mean = [](const Sums& sums, double pull, double to) {
    return (sums.off + pull * to) / (sums.weight + pull);
  };
  // Mean square of the offsets around `at`, including the prior variance.
  const auto variance = [](const Sums& sums, double pull, double of_pull, double at) {
    const double all = sums.square - 2 * at * sums.off + at * at * sums.weight;
    return (std::max(0.0, all) + pull * of_pull) / (sums.weight + pull);
  };
  const double of_kind = mean(wide, kPullOfAll, usual_);
  const double off = mean(near, kPull, of_kind);
  const double spread = std::sqrt(variance(
      near, kPull, variance(wide, kPullOfAll, kDeviationOfAll * kDeviationOfAll, of_kind), off));
  const double reach = kReach * std::max(spread, kLeastDeviation);
  const Seconds time = ours * std::exp(off);
  return {time, time * std::exp(-reach), time * std::exp(reach), std::exp(off), wide.weight};
}

CublasltTime cublaslt_time(const GpuSpec& gpu, const GemmProblem& problem, Regime regime,
                           Seconds ours, const std::filesystem::path& config_folder) {
  if (gpu.architecture != Architecture::kHopper) {
    throw ConfigError(gpu.name + ": cuBLASLt was measured on Hopper GPUs only");
  }
  if (problem.groups != nullptr) {
    throw ConfigError("cuBLASLt has no grouped GEMMs");
  }
  static std::mutex mutex;
  static std::map<std::string, CublasltRows> kept;
  const auto file = [&](const std::string& name) {
    return config_folder / "gpus" / (name + ".cublaslt.csv");
  };
  const bool own = std::filesystem::exists(file(gpu.name));
  const std::string path = file(own ? gpu.name : kRatiosOf).string();
  const CublasltRows* rows = nullptr;
  {
    const std::lock_guard lock(mutex);
    auto found = kept.find(path);
    if (found == kept.end()) {
      const int sms = kept_gpu(own ? gpu.name : kRatiosOf, false, config_folder).spec.sm.count;
      found = kept.emplace(path, CublasltRows(path, sms)).first;
    }
    rows = &found->second;
  }
  return rows->forecast(problem, regime, ours, gpu.sm.count, own);
}

}  // namespace tilecast
