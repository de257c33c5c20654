// What a calibration learned from measured kernels beyond the physics: the kernels themselves, seen
// as named quantities, and what each says of others like it (model/learn/learned.h).
//
// Two files that `tilecast calibrate` writes beside the overlay: NAME.learned.yaml, the few numbers
// of the process, and NAME.learned.csv, a row for each measured kernel. Without them predictions
// are physics alone.
//
// Checked by: learned_model_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/regime.h"
#include "model/spec/limiter.h"

namespace tilecast {

/// What a kernel is seen by; model/learn/kernel_features.cpp computes them. None is a schedule's
/// number: a new schedule is another mixture of traits.
constexpr std::array<std::string_view, 40> kLearnedFeatures{
    // What a simulation says.
    "simulated_over_closed_form", "simulated_operand_rate", "simulated_l2_rate",
    "simulated_dram_rate",
    // Where the time goes, by closed form.
    "tensor_share", "operand_share", "intake_share", "dram_share", "mma_of_k_block",
    "l2_of_k_block", "main_loop_share", "fused_share", "plain_store_share", "time", "clock",
    // The problem on the chip.
    "k", "groups", "fp8", "tiles", "filled_waves", "multicast", "beyond_edge_m", "beyond_edge_n",
    "k_alignment", "n_alignment", "hilbert_raster",
    // The tile and its ring.
    "block_m", "block_n", "columns_mod_64", "stages", "warpgroups_n", "ctas_per_sm", "cluster_n",
    // Traits of a schedule.
    "producer_warpgroup", "resident_grid", "two_tiles_in_flight", "loads_in_flight",
    "pieces_of_tile", "splits", "shares_last_waves"};

using Features = std::array<double, kLearnedFeatures.size()>;

/// Place of the feature of this name; of none: behind the last.
constexpr std::size_t feature_index(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(kLearnedFeatures, name) -
                                  kLearnedFeatures.begin());
}

/// Of logarithms of measured over physics.
struct LearnedOutput {
  double spread = 0;                // of kernels that are like none of the rows
  std::vector<double> off = {};     // of each row, as measured
  std::vector<double> weight = {};  // of each row, in spreads
};

/// Limiters whose reach is counted; the others, which few rows have, take that of one of these.
constexpr Limiter kReachCounted[] = {Limiter::kTensor,  Limiter::kSmIntake, Limiter::kL2,
                                     Limiter::kDram,    Limiter::kLatency,  Limiter::kInstructions,
                                     Limiter::kEpilogue};
constexpr Limiter reaches_like(Limiter limiter) {
  return limiter == Limiter::kSharedMemory ? Limiter::kTensor
         : limiter == Limiter::kReduction  ? Limiter::kEpilogue
         : limiter == Limiter::kLaunch     ? Limiter::kLatency
                                           : limiter;
}

/// Nine of ten times lie so many standard deviations around the prediction or nearer, by what
/// limits the kernel. 0: nobody has counted.
struct LearnedReach {
  std::array<double, std::size(kReachCounted)> each = {};  // in the order of kReachCounted

  constexpr double of(Limiter limiter) const {
    return each[static_cast<std::size_t>(std::ranges::find(kReachCounted, reaches_like(limiter)) -
                                         std::begin(kReachCounted))];
  }
};

/// Of one way to predict, closed forms or simulation.
struct LearnedMethod {
  LearnedOutput cycles, clock;
  LearnedReach reach = {};
};

struct LearnedRow {
  std::string problem, config;
  Regime regime;
  bool near_best;  // of its problem and regime
  Features features;
};

/// The last rows of a model where they are of another GPU, whose calibration had them: a card of
/// which little was measured leans on them, too.
struct LearnedPrior {
  std::string gpu = {};  // that they were measured on
  std::size_t rows = 0;  // the last ones
  double noise = 1;      // their variance, over that of a row of the GPU's own
};

struct LearnedModel {
  Features length = {};  // over which what is learned changes, in the feature's own unit
  double noise = 0;      // of one burst near the best of its problem, in spreads
  std::vector<LearnedRow> rows = {};
  LearnedMethod analytic = {}, simulated = {};
  LearnedPrior prior = {};
  std::string overlay = {};  // hash of the overlay that it was fitted with; empty: not told
};

/// Whether a row is of another GPU.
inline bool of_prior(const LearnedModel& model, std::size_t row) {
  return row + model.prior.rows >= model.rows.size();
}

/// Of a row, over that of one burst near the best: far from the best of a problem it counts less,
/// and sustained runs repeat less well.
double noise_variance(Regime regime, bool near_best);

/// Reads NAME.learned.yaml and NAME.learned.csv beside it. Throws FileError, or ConfigError
/// `file:line: key: what was expected`: they must be of `gpu`, of each other, and of the features
/// of this program, with numbers that a calibration can write.
LearnedModel load_learned(const std::filesystem::path& yaml, const std::string& gpu);

/// The contents of the two files.
std::string learned_yaml(const std::string& gpu, const LearnedModel& model);
std::string learned_csv(const LearnedModel& model);

}  // namespace tilecast
