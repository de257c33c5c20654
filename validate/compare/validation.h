// All figures that `tilecast validate` reports for a set of measurements. Figures that the data
// does not allow are absent.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/spec/gpu_spec.h"
#include "validate/compare/error_parts.h"
#include "validate/compare/join.h"
#include "validate/compare/statistics.h"
#include "validate/compare/worst_points.h"

namespace tilecast {

/// Means over groups (one problem under one regime) with at least two configurations.
struct RankFigures {
  double kendall, spearman;
  std::optional<double> kendall_near_best;  // over configurations within 20 % of the best time
  std::size_t shapes;
};

struct ClockFigures {
  ErrorFigures error;
  std::optional<double> kendall;  // mean over groups
  // Pairs of configurations of one group whose measured clocks differ by more than 2 %: their
  // number over all groups, and the fraction that is predicted in the right order.
  std::size_t pairs = 0;
  std::optional<double> pairs_ordered;
};

/// Figures of baselines, over both regimes.
struct Baselines {
  std::optional<RatioFigures> closed_form;     // top-1 pick of the analytic model, by time
  std::optional<RatioFigures> pick_by_cycles;  // pick with the fewest predicted cycles
  std::optional<RatioFigures> fixed_tiling;    // see pick.h
  std::string fixed_tiling_config;
  bool fixed_tiling_chosen_here;                      // chosen in hindsight, on the same rows
  std::optional<RatioFigures> random;                 // see pick.h
  std::optional<RatioFigures> cublaslt_top1_of_best;  // time of cublaslt:best / of cublaslt:top1
  std::optional<RatioFigures> cublaslt_top1_of_ours;  // tilecast's best measured time / of its top1
  // Speed relative to cuBLASLt's top heuristic for aligned problems (is_aligned), and for unaligned
  // ones, where most of cuBLASLt's kernels cannot use wide loads; and relative to cuBLASLt's best
  // for aligned problems.
  std::optional<RatioFigures> cublaslt_aligned, cublaslt_odd, cublaslt_best_aligned;
  std::optional<RatioFigures>
      runtime_copy_of_ours;             // tilecast's best measured time / cudaMemcpyAsync
  std::optional<double> roofline_mape;  // see roofline.h
};

struct IntervalFigures {
  double coverage_90;   // fraction of measured times inside the interval
  double median_width;  // median of (high - low) / predicted time
};

/// Quality by number of top picks, over groups with more configurations than that.
using PickFigures = std::map<std::size_t, RatioFigures>;

struct Validation {
  std::string gpu;
  bool calibrated, corrected;  // corrected: with the learned correction
  Method method;               // kSimulated if any point is simulated
  std::size_t simulated;       // number of simulated points
  std::size_t rows, points, cublaslt, unmatched, excluded, repeated;
  std::string split = "all";  // "all", or the part of a split that the rows are from
  std::optional<ErrorFigures> cycles, cycles_near_best;
  std::map<Regime, ErrorFigures> time;
  std::optional<ClockFigures> clock;
  std::map<Regime, RankFigures> rank;
  std::map<Regime, PickFigures> pick;
  Baselines baselines;
  std::optional<IntervalFigures> interval;
  ByteFigures bytes;
  std::map<AnySchedule, PartFigures> by_schedule;
  std::map<Limiter, PartFigures> by_limiter;
  std::map<TimeSize, PartFigures> by_size;
  std::vector<WorstPoint> worst;
  std::vector<WorstPick> worst_picks;
};

struct ValidationOptions {
  std::size_t worst = 0;                  // number of points and picks to list
  std::optional<ChipCounters> chip = {};  // if not set, bytes are not compared
  /// The fixed configuration that was chosen on other rows; empty if none was widespread enough
  /// there. If not set, it is chosen on these rows, in hindsight.
  std::optional<std::string> fixed_config = {};
};

Validation validate(const GpuSpec& gpu, bool calibrated, const JoinedData& data,
                    const ValidationOptions& options = {});

/// Mean, median, 90th percentile and bias.
nlohmann::ordered_json error_json(const ErrorFigures& figures);

/// Fractions have six decimals; absent figures have no key.
nlohmann::ordered_json to_json(const Validation& validation);

/// The table is at most 80 columns wide and ends with a line end.
std::string to_table(const Validation& validation);

}  // namespace tilecast
