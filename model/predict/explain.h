// Why a kernel takes the time it takes: what limits it, how busy each part of the GPU is and when,
// bytes and hit rates, waves, energy, and how all of that differs from another configuration.
//
// A simulated kernel is seen in the very simulation that its prediction is made of, waves that it
// leaves out as a part of their own; times are of the prediction, so phases end where it ends and
// the busy shares of phases are in the mean the prediction's. Its limiter is the prediction's too.
// What it would save is by elimination (model/gemm/sim/limits.h), at that simulation's clock. By
// closed form, as of every memory-bound kernel, there are no phases, and eliminations are the
// closed form's. Energy is the prediction's power over its time, parted as the work is. Leaves out:
// interactions, so that what parts save does not add up to the kernel. Checked by:
// explain_test.cpp.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/base/tile_span.h"
#include "model/clock/clock.h"
#include "model/gemm/predict/group_parts.h"
#include "model/gemm/predict/learned_reasons.h"
#include "model/gemm/sim/limits.h"
#include "model/predict/predict.h"
#include "model/rank/time_split.h"

namespace tilecast {

struct Phase {
  Seconds begin, end;
  Shares busy;
  Hertz sm_clock;  // by energy (model/clock/phase_clock.h); in the mean the prediction's
};

/// CTAs on the GPU and the tiles of C that they share out; those of a cluster take theirs together,
/// so that both are whole clusters.
struct TileWaves {
  i32 ctas_per_sm;
  i64 ctas;  // resident at once
  i64 tiles;
  i64 k_blocks;                            // of a tile, of groups along K in the mean
  double waves;                            // tiles over CTAs
  i64 in_last_wave;                        // tiles, up to all CTAs
  std::optional<double> rows_of_no_group;  // share of the tiles' rows; of a grouped problem
};

/// What only a simulation knows.
struct Watched {
  Bytes operand_reads;
  Bytes sm_intake;  // as Prediction::l2_to_sm, but a multicast counted at each SM
  Bytes l2_output;  // after merging, in whole sectors; no zeros for what is out of bounds
  Bytes l2_far;     // of it
  TimeSplit time;
  Seconds median_tile;  // of a warpgroup: first K block to last store issued
  std::vector<Phase> phases;
};

struct Explanation {
  Prediction predicted;
  Prediction closed_form;            // of the same kernel
  std::vector<Elimination> without;  // parts that save something, most first
  i32 ctas_per_sm;
  std::optional<TileWaves> waves;  // of a GEMM
  std::optional<GroupParts> groups = {};
  EnergySplit energy;
  ClockLimiter clock_limiter;
  std::optional<Watched> watched;
  LearnedReasons learned_from;               // of a GEMM
  std::optional<OperandCopies> copies = {};  // before the kernel, in times and cycles as predicted
};

/// Throws as predict_config and require_method.
Explanation explain(const GpuSpec& gpu, const AnyProblem& problem, const AnyConfig& config,
                    Regime regime, Inputs inputs, Effort effort);

/// Of the first of rank_matching.
Explanation explain_best(const GpuSpec& gpu, const AnyProblem& problem, const ConfigPattern& config,
                         Regime regime, Inputs inputs, Effort effort);

/// When each warpgroup of the simulated kernel, none of its waves left out, worked on which tile,
/// at this clock. The kernel can be simulated.
std::vector<TileSpan> timeline(const GpuSpec& gpu, const GemmProblem& problem,
                               const KernelConfig& config, Hertz sm_clock);

/// What one kernel takes more than another; negative where it takes less.
struct MoreCycles {
  std::string_view of;
  Cycles cycles;
};

/// How a kernel differs from another of the same problem: ratios of the first over the second.
struct Difference {
  double time, cycles, sm_clock, energy_per_cycle;
  std::vector<MoreCycles> phases;  // start, multiply, between, end; none without simulations
  std::vector<MoreCycles> parts;   // what each part costs, by elimination, most first
};

Difference difference(const Explanation& kernel, const Explanation& other);

}  // namespace tilecast
