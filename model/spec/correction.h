// What a calibration learnt beyond the physics: small corrections of predictions, linear in terms
// of interpretable features (model/predict/correction_terms.h), and how far predictions then were
// from rows that the fit had not seen. Numbers only, written by `tilecast calibrate` beside the
// overlay as <name>.correction.yaml; predictions without the file are physics alone.
//
// Checked by: correction_test.cpp.
#pragma once

#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/tile/kernel_config.h"
#include "model/tile/regime.h"
#include "model/tile/schedule_text.h"

namespace tilecast {

/// What a correction looks at; model/predict/correction_terms.h computes them.
constexpr std::array<std::string_view, 26> kCorrectionFeatures{
    "simulated_over_closed_form",  // logarithm; 0 where nothing is simulated
    "main_loop_share",
    "dram_share",
    "ends_share",
    "mma_of_k_block",
    "l2_of_k_block",
    "load_of_k_block",
    "time",
    "k_blocks",
    "waves",
    "a_sharers",
    "b_sharers",
    "missing",
    "cluster",
    "block_m",
    "block_n",
    "block_k",
    "stages",
    "warpgroups",
    "ctas_per_sm",
    "beyond_the_edge",
    "row_alignment",
    "wgmmas_of_k_block",
    "plain_stores",
    "last_wave",
    "sustained"};

/// Every feature, its square, every product of two; a constant and a slope of each by schedule.
constexpr std::size_t correction_term_count() {
  constexpr std::size_t kFeatures = kCorrectionFeatures.size();
  return 2 * kFeatures + kFeatures * (kFeatures - 1) / 2 +
         std::size(kWgmmaSchedules) * (kFeatures + 1);
}

/// y = constant + sum over terms of weight * (term - its mean); a term is made of features, each
/// brought to mean 0 and spread 1 and kept within three spreads.
struct LinearCorrection {
  std::vector<double> feature_mean, feature_spread;
  std::vector<double> weight, term_mean;
  double constant = 0;
};

/// Of the logarithm of measured over predicted time, held-out rows: nine of ten lie between the two
/// quantiles, times what `spread` predicts for the kernel.
struct ResidualQuantiles {
  Regime regime;
  std::optional<Schedule> schedule;  // none: those without an entry of their own
  double low, high;
};

/// Residuals of kernels with this limiter are so many times as wide as all, schedules and spread
/// being equal.
struct LimiterWidth {
  std::string limiter;  // its word
  double width;
};

/// For one way to predict (closed forms or simulation).
struct MethodCorrection {
  LinearCorrection cycles, clock;            // logarithm of measured over predicted
  LinearCorrection spread;                   // logarithm of what residuals are large by
  std::vector<ResidualQuantiles> quantiles;  // one at most for each regime and schedule
  std::vector<LimiterWidth> widths;          // 1 for others
};

struct Correction {
  MethodCorrection analytic, simulated;
  std::string overlay = {};  // hash of the overlay that it was fitted with; empty: not told
};

/// Throws FileError, or ConfigError `file:line: key: what was expected`; `gpu` is the name that the
/// file must be of, and its features must be those of this program.
Correction load_correction(const std::filesystem::path& path, const std::string& gpu);

std::string correction_text(const std::string& gpu, const Correction& correction);

}  // namespace tilecast
