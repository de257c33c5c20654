#include "model/predict/correction_terms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

#include "model/base/error.h"

namespace tilecast {
namespace {

constexpr std::size_t kFeatures = kCorrectionFeatures.size();
constexpr std::size_t kSchedules = std::size(kWgmmaSchedules);
constexpr double kMostSpreads = 3;

std::size_t index_of(Schedule schedule) {
  const auto* found = std::ranges::find(kWgmmaSchedules, schedule);
  return static_cast<std::size_t>(found - std::begin(kWgmmaSchedules));
}

/// 0: rows of A start on lines of 128 bytes; 1, 2, 3: on 64, 32, 16 bytes only.
double row_alignment(const GemmProblem& problem) {
  const i64 bytes = problem.shape.k * element_bytes(problem.dtype);
  return bytes % 128 == 0 ? 0 : bytes % 64 == 0 ? 1 : bytes % 32 == 0 ? 2 : 3;
}

// Products and slopes are many and mean less each than a feature alone.
constexpr double kSquare = 0.5, kProduct = 0.5, kSlope = 0.7;

/// Features without their mean, in spreads.
Features in_spreads(const LinearCorrection& scale, const Features& features) {
  Features z;
  for (std::size_t i = 0; i < kFeatures; ++i) {
    z[i] = std::clamp((features[i] - scale.feature_mean[i]) / scale.feature_spread[i],
                      -kMostSpreads, kMostSpreads);
  }
  return z;
}

}  // namespace

Features correction_features(const GemmProblem& problem, const KernelConfig& config,
                             const GemmWork& work, const ClosedForm& form, Hertz sm_clock,
                             Cycles simulated, Regime regime) {
  const GemmShape& shape = problem.shape;
  const Tiling& t = config.tiling;
  const FormParts& parts = form.parts;
  const double computed = static_cast<double>(work.tiles) * t.block_m * t.block_n;
  const double c = static_cast<double>(shape.m) * static_cast<double>(shape.n);
  const double slots = static_cast<double>(work.tiles_per_sm) / parts.ctas;
  const double per_k_block =
      static_cast<double>(wgmmas_along_m(t) * wgmmas_along_n(config) * (t.block_k / kWgmmaK));
  return {simulated.value > 0 ? std::log(simulated / form.cycles) : 0,
          parts.main_loops / form.cycles,
          parts.dram / form.cycles,
          parts.ends / form.cycles,
          parts.mma / parts.step,
          parts.l2 / parts.step,
          std::log(parts.load / parts.step),
          std::log(time_of(form.cycles, sm_clock).value),
          std::log(static_cast<double>(work.k_blocks)),
          std::log(std::max(slots, 0.1)),
          std::log(work.traffic.a_sharers),
          std::log(work.traffic.b_sharers),
          std::max(work.traffic.a_missing, work.traffic.b_missing),
          std::log2(cluster_size(t)),
          std::log2(t.block_m),
          std::log2(t.block_n),
          std::log2(t.block_k),
          std::log2(t.stages),
          static_cast<double>(warpgroups_per_tile(t)),
          std::log2(parts.ctas),
          1 - c / computed,
          row_alignment(problem),
          std::log2(per_k_block),
          c_rows_allow_tma(problem) ? 0.0 : 1.0,
          slots / std::max(1.0, std::ceil(slots)),
          regime == Regime::kSustained ? 1.0 : 0.0};
}

void correction_terms(const LinearCorrection& scale, const Features& features, Schedule schedule,
                      std::span<double> out) {
  TILECAST_ASSERT(out.size() == correction_term_count());
  const Features z = in_spreads(scale, features);
  double* next = out.data();
  for (std::size_t i = 0; i < kFeatures; ++i) {
    *next++ = z[i];
    *next++ = kSquare * z[i] * z[i];
    for (std::size_t j = i + 1; j < kFeatures; ++j) {
      *next++ = kProduct * z[i] * z[j];
    }
  }
  std::fill(next, out.data() + out.size(), 0.0);
  const std::size_t own = index_of(schedule);
  if (own < kSchedules) {
    next += own * (kFeatures + 1);
    *next++ = 1;
    for (std::size_t i = 0; i < kFeatures; ++i) {
      *next++ = kSlope * z[i];
    }
  }
}

FoldedCorrection::FoldedCorrection(const LinearCorrection& correction)
    : correction_(correction), constant_(correction.constant) {
  // Weights lie as correction_terms writes the terms.
  TILECAST_ASSERT(correction.weight.size() == correction_term_count());
  for (std::size_t i = 0; i < correction.weight.size(); ++i) {
    constant_ -= correction.weight[i] * correction.term_mean[i];
  }
  auto next = correction.weight.begin();
  for (std::size_t i = 0; i < kFeatures; ++i) {
    linear_.front()[i] = *next++;
    products_[i][i] = kSquare * *next++;
    for (std::size_t j = i + 1; j < kFeatures; ++j) {
      products_[i][j] = kProduct * *next++;
    }
  }
  for (std::size_t schedule = 1; schedule < linear_.size(); ++schedule) {
    constants_[schedule] = *next++;
    for (std::size_t i = 0; i < kFeatures; ++i) {
      linear_[schedule][i] = linear_.front()[i] + kSlope * *next++;
    }
  }
}

double FoldedCorrection::log_of(const Features& features, Schedule schedule, double most) const {
  const std::size_t index = index_of(schedule);
  const std::size_t own = index < kSchedules ? index + 1 : 0;
  const Features z = in_spreads(correction_, features);
  Features slope = linear_[own];
  for (std::size_t i = 0; i < kFeatures; ++i) {
    for (std::size_t j = 0; j < kFeatures; ++j) {
      slope[j] += z[i] * products_[i][j];
    }
  }
  const double sum = std::inner_product(z.begin(), z.end(), slope.begin(), constant_);
  return std::clamp(sum + constants_[own], -most, most);
}

double corrected_log(const LinearCorrection& correction, const Features& features,
                     Schedule schedule, double most) {
  return FoldedCorrection(correction).log_of(features, schedule, most);
}

}  // namespace tilecast
