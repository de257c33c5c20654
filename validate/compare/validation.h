// Everything `tilecast validate` says about a set of measurements, as numbers. Figures that the
// data does not allow are absent.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/spec/gpu_spec.h"
#include "validate/compare/byte_error.h"
#include "validate/compare/error_parts.h"
#include "validate/compare/join.h"
#include "validate/compare/paired_picks.h"
#include "validate/compare/selectors.h"
#include "validate/compare/statistics.h"
#include "validate/compare/worst_points.h"

namespace tilecast {

/// Means over groups (one problem under one regime) with at least two configurations.
struct RankFigures {
  double kendall, spearman;
  std::optional<double> kendall_near_best;  // of configurations within 20 % of the best time
  std::size_t shapes;
};

struct ClockFigures {
  ErrorFigures error;
  std::optional<double> kendall;  // mean over groups
  // Of configurations of one group whose measured clocks differ by more than 2 %: their pairs, over
  // all groups, and the share of these that is predicted in the right order.
  std::size_t pairs = 0;
  std::optional<double> pairs_ordered;
};

/// Over both regimes.
struct Baselines {
  std::optional<RatioFigures> closed_form;     // the pick of the closed forms, by time
  std::optional<RatioFigures> pick_by_cycles;  // fewest predicted cycles
  std::optional<RatioFigures> fixed_tiling;    // see pick.h
  std::string fixed_tiling_config;
  bool fixed_tiling_chosen_here;                      // with hindsight
  std::optional<RatioFigures> random;                 // see pick.h
  std::map<std::string, RatioFigures> selectors;      // by name, see selectors.h; bursts
  std::optional<RatioFigures> cublaslt_top1_of_best;  // time of cublaslt:best / of cublaslt:top1
  std::optional<RatioFigures> cublaslt_top1_of_ours;  // best measured time of ours / of its top1
  // The same where rows are aligned (is_aligned), and where most of its kernels cannot load wide;
  // of aligned ones against its best too.
  std::optional<RatioFigures> cublaslt_aligned, cublaslt_odd, cublaslt_best_aligned;
  std::optional<RatioFigures> runtime_copy_of_ours;  // best measured time of ours / cudaMemcpyAsync
  std::optional<double> roofline_mape;               // see roofline.h
};

struct IntervalFigures {
  double coverage_90;   // share of measured times inside the interval
  double median_width;  // of (high - low) / predicted time
};

/// By how many first picks the best measured one is taken, over groups with more configurations
/// than that.
using PickFigures = std::map<std::size_t, RatioFigures>;

struct Validation {
  std::string gpu;
  bool calibrated, corrected;  // corrected: by what a calibration learned beyond the physics
  Method method;               // simulated where any point is
  std::size_t simulated;       // points
  std::size_t rows, points, cublaslt, unmatched, excluded, repeated;
  std::string split = "all";  // or the part of a split whose rows these are
  std::optional<ErrorFigures> cycles, cycles_near_best;
  std::map<Regime, ErrorFigures> time;
  std::optional<ClockFigures> clock;
  std::map<Regime, RankFigures> rank;
  std::map<Regime, PickFigures> pick;
  Baselines baselines;
  std::optional<IntervalFigures> interval;
  ByteFigures bytes;
  std::map<Regime, std::vector<PairedFigures>> paired;  // of the first pick by time
  std::map<AnySchedule, PartFigures> by_schedule;
  std::map<Limiter, PartFigures> by_limiter;
  std::map<TimeSize, PartFigures> by_size;
  std::vector<WorstPoint> worst;
};

struct ValidationOptions {
  std::size_t worst = 0;                  // points that are named
  std::optional<ChipCounters> chip = {};  // none: bytes are not judged
  /// The one configuration for everything, where it was chosen on other rows; empty: none was
  /// widespread enough there. Nothing: chosen on these rows, with hindsight.
  std::optional<std::string> fixed_config = {};
  std::vector<Selector> selectors = {};  // judged on bursts, as one chooses for them
};

Validation validate(const GpuSpec& gpu, bool calibrated, const JoinedData& data,
                    const ValidationOptions& options = {});

}  // namespace tilecast
