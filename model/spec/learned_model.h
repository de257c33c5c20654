// The learned correction of a calibration: the measured kernels as feature vectors, and the
// Gaussian process weights that turn similarity to them into a correction (model/learn/learned.h).
//
// `tilecast calibrate` writes two files next to the overlay: NAME.learned.yaml contains the
// hyperparameters, and NAME.learned.csv one row per measured kernel; for attention they are
// NAME.attention.learned.yaml and .csv. Without them predictions are uncorrected.
//
// Checked by: learned_model_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/regime.h"
#include "model/spec/limiter.h"

namespace tilecast {

/// Features of a GEMM kernel, computed by model/gemm/predict/kernel_features.cpp. None identifies a
/// schedule: a new schedule is a new combination of traits.
constexpr std::string_view kGemmFeatures[] = {
    // Features from the simulation.
    "simulated_over_closed_form", "simulated_operand_rate", "simulated_l2_rate",
    "simulated_dram_rate",
    // Fractions of the time, by the analytic model.
    "tensor_share", "operand_share", "intake_share", "dram_share", "mma_of_k_block",
    "l2_of_k_block", "main_loop_share", "fused_share", "plain_store_share", "time", "clock",
    // Features of the problem on this chip.
    "k", "groups", "fp8", "tiles", "filled_waves", "multicast", "beyond_edge_m", "beyond_edge_n",
    "k_alignment", "n_alignment", "hilbert_raster",
    // Features of the tile and its pipeline.
    "block_m", "block_n", "columns_mod_64", "stages", "warpgroups_n", "ctas_per_sm", "cluster_n",
    // Traits of the schedule.
    "producer_warpgroup", "resident_grid", "two_tiles_in_flight", "loads_in_flight",
    "pieces_of_tile", "splits", "shares_last_waves"};

/// Features of an attention kernel, computed by model/attention/predict_attention.cpp.
constexpr std::string_view kAttentionFeatures[] = {
    // Fractions of the time, by the analytic model.
    "mma_of_block", "l2_of_block", "load_of_block", "main_loop_share", "dram_share", "ends_share",
    "combine_share", "softmax_share", "time", "clock", "sustained",
    // Features of the problem on this chip.
    "head_dim", "causal", "queries", "keys", "heads_per_kv", "dram_bytes", "heads_apart", "waves",
    "filled_waves", "busy_sms", "blocks", "masked", "sharers", "missing", "rows_used",
    // Features of the tile and its pipeline.
    "groups", "kv_block", "stages", "ctas_per_sm", "bytes_in_flight", "splits", "pack",
    // Traits of the schedule and of the grid.
    "producer_warpgroup", "takes_turns", "scores_ahead", "resident_grid", "clusters",
    "longest_first", "dynamic"};

constexpr std::size_t kMostFeatures = 40;  // maximum number of features of an op
static_assert(std::size(kGemmFeatures) <= kMostFeatures &&
              std::size(kAttentionFeatures) <= kMostFeatures);

/// Features in the order of the op's names; 0 after the last one.
using Features = std::array<double, kMostFeatures>;
using FeatureNames = std::span<const std::string_view>;

/// Returns the index of the feature with this name, or the number of names if there is none.
constexpr std::size_t feature_index(FeatureNames names, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

/// Gaussian process for the logarithm of measured / uncorrected.
struct LearnedOutput {
  double spread = 0;                // prior standard deviation, which kernels unlike all rows get
  std::vector<double> off = {};     // log ratio by row, as measured
  std::vector<double> weight = {};  // weight by row, in units of `spread`
};

/// Bottlenecks that have their own interval width. The others have too few rows and use the width
/// of one of these.
constexpr Limiter kReachCounted[] = {Limiter::kTensor,  Limiter::kSmIntake, Limiter::kL2,
                                     Limiter::kDram,    Limiter::kLatency,  Limiter::kInstructions,
                                     Limiter::kEpilogue};
constexpr Limiter reaches_like(Limiter limiter) {
  return limiter == Limiter::kSharedMemory ? Limiter::kTensor
         : limiter == Limiter::kReduction  ? Limiter::kEpilogue
         : limiter == Limiter::kLaunch     ? Limiter::kLatency
                                           : limiter;
}

/// Half-width of the 90 % interval in standard deviations, for each bottleneck; 0 if not
/// calibrated.
struct LearnedReach {
  std::array<double, std::size(kReachCounted)> each = {};  // widths in the order of kReachCounted

  constexpr double of(Limiter limiter) const {
    return each[static_cast<std::size_t>(std::ranges::find(kReachCounted, reaches_like(limiter)) -
                                         std::begin(kReachCounted))];
  }
};

/// Hyperparameters of one method of prediction, analytic model or simulation.
struct LearnedMethod {
  LearnedOutput cycles, clock;
  LearnedReach reach = {};
};

struct LearnedRow {
  std::string problem, config;
  Regime regime;
  bool near_best;  // near the best time of its problem and regime
  Features features;
};

/// Rows of another GPU, last in the model, that serve as a prior for a GPU with few measurements.
struct LearnedPrior {
  std::string gpu = {};  // GPU on which they were measured
  std::size_t rows = 0;  // number of these rows, the last in the model
  double noise = 1;      // their noise variance relative to this GPU's rows
};

struct LearnedModel {
  FeatureNames features = kGemmFeatures;
  Features length = {};  // length scale of each feature, in the feature's unit
  double noise = 0;      // noise of a burst near the best of its problem, in units of `spread`
  std::vector<LearnedRow> rows = {};
  LearnedMethod analytic = {}, simulated = {};
  LearnedPrior prior = {};
  std::string overlay = {};  // hash of the overlay used in the fit; empty if unknown
};

/// Whether the row was measured on another GPU.
inline bool of_prior(const LearnedModel& model, std::size_t row) {
  return row + model.prior.rows >= model.rows.size();
}

/// Noise variance of a row relative to a burst near the best. Rows far from their problem's best
/// weigh less, and sustained measurements repeat less well.
double noise_variance(Regime regime, bool near_best);

/// Reads NAME.learned.yaml and, from the same folder, NAME.learned.csv. Throws FileError, or
/// ConfigError `file:line: key: expectation` if the files do not match `gpu`, each other and the
/// op's features, or contain implausible numbers.
LearnedModel load_learned(const std::filesystem::path& yaml, const std::string& gpu,
                          FeatureNames features = kGemmFeatures);

/// Return the contents of the two files.
std::string learned_yaml(const std::string& gpu, const LearnedModel& model);
std::string learned_csv(const LearnedModel& model);

}  // namespace tilecast
