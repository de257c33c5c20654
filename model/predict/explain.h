// Explains a kernel's time: its bottleneck, how busy each part of the GPU is and when, bytes and
// hit rates, waves, energy, and how all of these differ from another configuration.
//
// A simulated kernel is observed in the simulation that its prediction uses; the waves that this
// skips are a separate phase. Times are scaled to the prediction: phases end when the predicted
// kernel ends, and the mean of their busy shares is the prediction's. The bottleneck is the
// prediction's too. Savings assume that a resource costs nothing (model/gemm/sim/limits.h), at the
// clock of that simulation. With the analytic model, which all memory-bound kernels use, there are
// no phases, and savings are computed by that model. Energy is the prediction's power times its
// time, divided in proportion to the work. Not modelled: interactions, so the savings of parts do
// not add up to the kernel's time. Checked by: explain_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/tile_span.h"
#include "model/clock/clock.h"
#include "model/gemm/predict/group_parts.h"
#include "model/gemm/sim/limits.h"
#include "model/learn/learned.h"
#include "model/predict/predict.h"
#include "model/rank/time_split.h"

namespace tilecast {

struct Phase {
  Seconds begin, end;
  Shares busy;
  Hertz sm_clock;  // computed from the energy (model/clock/phase_clock.h); the mean is the
                   // prediction's
};

/// CTAs on the GPU and the tiles of C that they divide among themselves. The CTAs of a cluster take
/// tiles together, so both counts are whole clusters.
struct TileWaves {
  i32 ctas_per_sm;
  i64 ctas;  // resident at once
  i64 tiles;
  i64 k_blocks;                            // per tile; for groups along K, the mean
  double waves;                            // tiles over CTAs
  i64 in_last_wave;                        // tiles in the last wave, at most the number of CTAs
  std::optional<double> rows_of_no_group;  // fraction of tile rows in no group; grouped problems
                                           // only
};

/// Results that only a simulation gives.
struct Watched {
  Bytes operand_reads;
  Bytes sm_intake;  // like Prediction::l2_to_sm, but a multicast counts at each SM
  Bytes l2_output;  // after merging, in whole sectors; without out-of-bounds zeros
  Bytes l2_far;     // part of l2_output
  TimeSplit time;
  Seconds median_tile;  // per warpgroup: from the first K block until its last store is issued
  std::vector<Phase> phases;
};

struct Explanation {
  Prediction predicted;
  Prediction closed_form;            // analytic prediction of the same kernel
  std::vector<Elimination> without;  // time saved if a resource cost nothing, most first
  i32 ctas_per_sm;
  std::optional<TileWaves> waves;  // GEMM only
  std::optional<GroupParts> groups = {};
  EnergySplit energy;
  ClockLimiter clock_limiter;
  std::optional<Watched> watched;
  std::vector<LearnedContribution> learned;  // they add up to the logarithms of the corrections
  std::optional<OperandCopies> copies =
      {};  // copies before the kernel; included in the predicted time and cycles
  std::vector<std::string> notes = {};  // op-specific remarks, in sentences
};

/// Adds the part of the corrections that bounds on the prediction add or take off, so that
/// `learned` adds up to the corrections; nothing without learned parts.
void add_bounds(Explanation& explanation);

/// Throws the exceptions of predict_config and require_method.
Explanation explain(const GpuSpec& gpu, const AnyProblem& problem, const AnyConfig& config,
                    Regime regime, Inputs inputs, const Effort& effort);

/// Explains the first kernel of rank_matching.
Explanation explain_best(const GpuSpec& gpu, const AnyProblem& problem, const ConfigPattern& config,
                         Regime regime, Inputs inputs, const Effort& effort);

/// Returns the tile spans of every warpgroup of the simulated kernel at this clock, with no waves
/// skipped. Requires a kernel that can be simulated.
std::vector<TileSpan> timeline(const GpuSpec& gpu, const GemmProblem& problem,
                               const KernelConfig& config, Hertz sm_clock);

/// Cycles that one kernel takes more than another; negative if it takes fewer.
struct MoreCycles {
  std::string_view of;
  Cycles cycles;
};

/// Difference between two configurations of a problem; ratios are first / second.
struct Difference {
  double time, cycles, sm_clock, energy_per_cycle;
  std::vector<MoreCycles> phases;  // start, multiply, between, end; empty without simulations
  std::vector<MoreCycles> parts;   // extra cost of each part, highest first
};

Difference difference(const Explanation& kernel, const Explanation& other);

}  // namespace tilecast
