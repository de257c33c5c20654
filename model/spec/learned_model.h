// The learned correction of a calibration: sums of functions of up to four features of a kernel
// (model/learn/learned.h), as trees whose splits are ramps.
//
// `tilecast calibrate` writes two files next to the overlay: NAME.learned.yaml with the thresholds
// of each feature and the interval widths, and NAME.learned.csv with one tree per line, in digits
// of base 64: feature and threshold of each split, and two digits for each leaf. For attention the
// files are NAME.attention.learned.yaml and .csv. Without them predictions are uncorrected.
//
// Checked by: learned_model_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/spec/limiter.h"

namespace tilecast {

// Distance from the measured range of a feature, in parts of the range, from which a kernel is
// extrapolated.
constexpr double kBeyondRange = 0.25;

/// A quantity of a kernel, and the group in which `explain` shows its contribution: features of one
/// group stand for each other, so only the group has a meaning.
struct Feature {
  std::string_view name, group;
  // 0 for a loop's length: below one K block most of each load is out of bounds.
  double beyond = kBeyondRange;
};

/// Features of a GEMM kernel, computed by model/gemm/predict/kernel_features.cpp. None is a
/// schedule's identifier: a new schedule is a new mixture of traits.
constexpr Feature kGemmFeatures[] = {
    // Features from the simulation.
    {"simulated_over_closed_form", "simulation"},
    {"simulated_operand_rate", "tensor cores"},
    {"simulated_l2_rate", "L2"},
    {"simulated_dram_rate", "DRAM"},
    {"busy_tensor", "tensor cores"},
    {"busy_operand", "tensor cores"},
    {"busy_intake", "L2"},
    {"busy_l2", "L2"},
    {"busy_dram", "DRAM"},
    // Shares of the time, by the analytic model.
    {"tensor_share", "tensor cores"},
    {"operand_share", "tensor cores"},
    {"intake_share", "L2"},
    {"l2_share", "L2"},
    {"dram_share", "DRAM"},
    {"mma_of_k_block", "tensor cores"},
    {"l2_of_k_block", "L2"},
    {"load_of_k_block", "stages"},
    {"main_loop_share", "K"},
    {"ends_share", "K"},
    {"least_share", "tensor cores"},
    {"fused_share", "output"},
    {"plain_store_share", "output"},
    {"clock", "time and clock"},
    // Shares of the energy.
    {"energy_tensor", "time and clock"},
    {"energy_operand", "time and clock"},
    {"energy_dram", "time and clock"},
    // Features of the problem on this chip.
    {"k", "K", 0},
    {"k_blocks", "K"},
    {"all_k_blocks", "K"},
    {"groups", "waves and grid"},
    {"groups_along_k", "waves and grid"},
    {"fp8", "tensor cores"},
    {"exact_sums", "tensor cores"},
    {"tiles", "waves and grid"},
    {"waves", "waves and grid"},
    {"filled_waves", "waves and grid"},
    {"multicast", "L2"},
    {"a_sharers", "L2"},
    {"b_sharers", "L2"},
    {"a_missing", "DRAM"},
    {"b_missing", "DRAM"},
    {"beyond_edge_m", "edges and alignment"},
    {"beyond_edge_n", "edges and alignment"},
    {"beyond_edge", "edges and alignment"},
    {"k_alignment", "edges and alignment"},
    {"n_alignment", "edges and alignment"},
    // Features of the tile and its pipeline.
    {"tile_area", "tile"},
    {"tile_aspect", "tile"},
    {"k_block_bytes", "tile"},
    {"block_n", "tile"},
    {"columns_mod_64", "tile"},
    {"hilbert", "L2"},
    {"stages", "stages"},
    {"warpgroups_m", "roles"},
    {"warpgroups_n", "roles"},
    {"ctas_per_sm", "roles"},
    {"c_slots", "output"},
    {"c_box_bytes", "output"},
    // Traits of the schedule.
    {"producer_warpgroup", "roles"},
    {"resident_grid", "waves and grid"},
    {"two_tiles_in_flight", "roles"},
    {"deferred_store", "output"},
    {"pieces_of_tile", "K"},
    {"splits", "K"}};

/// Features of an attention kernel, computed by model/attention/predict_attention.cpp.
constexpr Feature kAttentionFeatures[] = {
    // Shares of the time, by the analytic model.
    {"mma_of_block", "tensor cores"},
    {"l2_of_block", "L2"},
    {"load_of_block", "stages"},
    {"main_loop_share", "loop"},
    {"dram_share", "DRAM"},
    {"ends_share", "loop"},
    {"combine_share", "splits"},
    {"softmax_share", "softmax"},
    {"time", "time and clock"},
    {"clock", "time and clock"},
    {"sustained", "time and clock"},
    // The problem on this chip.
    {"head_dim", "tile"},
    {"causal", "loop"},
    {"queries", "waves and grid"},
    {"keys", "loop", 0},
    {"heads_per_kv", "waves and grid"},
    {"dram_bytes", "DRAM"},
    {"heads_apart", "DRAM"},
    {"waves", "waves and grid"},
    {"filled_waves", "waves and grid"},
    {"busy_sms", "waves and grid"},
    {"blocks", "loop"},
    {"masked", "loop"},
    {"sharers", "L2"},
    {"missing", "DRAM"},
    {"rows_used", "tile"},
    // The tile and its pipeline.
    {"groups", "roles"},
    {"kv_block", "tile"},
    {"stages", "stages"},
    {"ctas_per_sm", "roles"},
    {"bytes_in_flight", "stages"},
    {"splits", "splits"},
    {"pack", "tile"},
    // Traits of the schedule and the grid.
    {"producer_warpgroup", "roles"},
    {"takes_turns", "roles"},
    {"scores_ahead", "softmax"},
    {"resident_grid", "waves and grid"},
    {"clusters", "L2"},
    {"longest_first", "waves and grid"},
    {"dynamic", "waves and grid"}};

constexpr std::size_t kMostFeatures = 64;  // maximum number of features of an op
static_assert(std::size(kGemmFeatures) <= kMostFeatures &&
              std::size(kAttentionFeatures) <= kMostFeatures);

/// Features in the order of the op's names; 0 after the last one.
using Features = std::array<double, kMostFeatures>;
using FeatureNames = std::span<const Feature>;

/// Returns the index of the feature with this name, or the number of names if there is none.
constexpr std::size_t feature_index(FeatureNames names, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(names, name, &Feature::name) - names.begin());
}

/// Returns the groups in the order of their first feature.
std::vector<std::string_view> feature_groups(FeatureNames names);

/// Thresholds at which trees split a feature, and the range in which it was measured.
struct FeatureScale {
  std::vector<double> at = {};
  double width = 0;  // of the ramp around a threshold; 0 for a step
  double least = 0, most = 0;
};
constexpr std::size_t kMostThresholds = 24;

/// A ramp of one feature: 0 below a threshold, 1 above it.
struct Ramp {
  std::uint8_t feature = 0, threshold = 0;
};
constexpr std::size_t kSplits = 4, kLeaves = 1 << kSplits;

/// A tree that asks the same question at all nodes of a level: bit s of a leaf's index is 1 above
/// the ramp of split s.
struct Tree {
  std::array<Ramp, kSplits> splits = {};
  std::array<float, kLeaves> leaves = {};
};

constexpr int kMostLeaf = 2047;  // two digits of base 64, with a sign

/// A sum of functions of up to four features.
struct LearnedSum {
  double level = 0;
  double unit = 1;  // leaves are whole multiples, at most kMostLeaf
  std::vector<Tree> trees = {};
  std::vector<double> usual = {};  // mean contribution of each group over the measured rows
};

/// Sets the unit, and rounds the leaves to multiples of it.
void round_leaves(LearnedSum& sum);

/// Bottlenecks with their own interval width; the others have too few rows and use the width of one
/// of these.
constexpr Limiter kReachCounted[] = {Limiter::kTensor,  Limiter::kSmIntake, Limiter::kL2,
                                     Limiter::kDram,    Limiter::kLatency,  Limiter::kInstructions,
                                     Limiter::kEpilogue};
constexpr Limiter reaches_like(Limiter limiter) {
  return limiter == Limiter::kSharedMemory ? Limiter::kTensor
         : limiter == Limiter::kReduction  ? Limiter::kEpilogue
         : limiter == Limiter::kLaunch     ? Limiter::kLatency
                                           : limiter;
}

/// Half-width of the 90 % interval in units of the expected error, by bottleneck; 0 if not
/// calibrated. Kinds of which that held too few held-out rows have factors on it.
struct LearnedReach {
  struct Wider {
    std::string kind;
    double factor;
  };

  std::array<double, std::size(kReachCounted)> each = {};  // widths in the order of kReachCounted
  std::vector<Wider> wider = {};

  double of(Limiter limiter, std::span<const std::string_view> kinds) const;
};

/// The correction of one method of prediction, analytic model or simulation.
struct LearnedMethod {
  LearnedSum cycles, clock;  // logarithms of measured / uncorrected
  LearnedSum error;          // logarithm of the expected error of log(time)
  LearnedReach reach = {};
  double uncorrected = 0;  // half-width of the 90 % interval without a correction
};

struct LearnedModel {
  FeatureNames features = kGemmFeatures;
  std::vector<FeatureScale> scale = {};  // by feature
  std::vector<std::string> kinds = {};   // KernelFeatures::kinds that were measured
  std::size_t rows = 0;                  // measured rows
  LearnedMethod analytic = {};
  std::optional<LearnedMethod> simulated = {};  // absent if nothing was simulated
  std::string prior = {};    // GPU whose correction this one starts from; empty if none
  std::string overlay = {};  // hash of the overlay used in the fit; empty if unknown

  const LearnedMethod& by_simulation() const { return simulated ? *simulated : analytic; }
};

/// Reads NAME.learned.yaml and, from the same folder, NAME.learned.csv. Throws FileError, or
/// ConfigError `file:line: key: expectation`: the files must match `gpu`, each other and the op's
/// features, and hold plausible numbers.
LearnedModel load_learned(const std::filesystem::path& yaml, const std::string& gpu,
                          FeatureNames features = kGemmFeatures);

/// Return the contents of the two files.
std::string learned_yaml(const std::string& gpu, const LearnedModel& model);
std::string learned_csv(const LearnedModel& model);

}  // namespace tilecast
