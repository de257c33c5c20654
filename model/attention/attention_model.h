// Models attention: which configurations are legal and tried, the analytic model of one at an SM
// clock, predictions and rankings.
//
// A block of keys takes five steps (model/form/loop.h); every consumer warpgroup runs them for its
// 64 rows:
//   S = Q K^T        tensor cores; reads the ring of K and is waited for
//   maxima           vector pipe
//   exponentials     special function units; their multiply-adds and sums run under them
//   convert, rescale vector pipe; of the scores, and of O by the new maxima
//   O += P V         tensor cores, P from registers; reads the ring of V, and is left in flight
//                    where the next block's scores are computed meanwhile
// Tiles, their blocks and the order are defined in attention_work.h; walking that order finds the
// busiest worker's share. K and V of a KV head are one panel in L2, which waves of
// tiles share (panel_reuse.h). Splits write fp32 partial results, which the last CTA of a tile
// combines.
//
// The machine's constants were measured for GEMMs; the constants of section attention in the GPU
// file were fitted to attention kernels, and a correction is learned from their residuals
// (model/learn). Without a producer, registers and shared memory limit the resident CTAs regardless
// of the configuration's request; GPCs, which differ in size, limit the clusters. The more bytes
// each SM has in flight, the slower DRAM is. Assumed: each vector instruction takes the energy of a
// promoted partial sum. Not modelled: ragged keys under a causal mask; spills. Checked by:
// attention_form_test.cpp, validate/compare/public_cases_test.cpp.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/attention/attention_work.h"
#include "model/clock/phase_clock.h"
#include "model/form/form.h"
#include "model/form/hard_bounds.h"
#include "model/learn/learned.h"
#include "model/op/menu.h"
#include "model/ops/config_pattern.h"
#include "model/rank/effort.h"
#include "model/rank/prediction.h"
#include "model/rank/question.h"
#include "model/rank/settled_clock.h"
#include "model/rank/why_impossible.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Returns the first broken rule and its message; kNone and empty for a legal configuration.
Refusal check_legal(const GpuSpec& gpu, const AttentionProblem& problem,
                    const AttentionConfig& config);
std::string why_not_legal(const GpuSpec& gpu, const AttentionProblem& problem,
                          const AttentionConfig& config);

/// Explains why the GPU has no kernel for the problem; empty if it has one: every problem that
/// why_not_attention accepts has a kernel on a GPU with wgmma.
std::string why_not_solvable(const GpuSpec& gpu, const AttentionProblem& problem);
/// Returns the message for a reason in Rejections::rejected.
inline std::string why_rejected(const GpuSpec& gpu, const AttentionProblem& problem,
                                std::string_view /*reason*/, const AttentionConfig& config) {
  return why_not_legal(gpu, problem, config);
}

/// All schedules are searched by default.
inline bool is_on_menu(const GpuSpec&, AttentionSchedule) { return true; }
using AttentionCandidates = CandidatesOf<AttentionConfig>;
/// Lists the configurations of `schedules` (of all if it is empty) in a fixed order.
AttentionCandidates enumerate_candidates(const GpuSpec& gpu, const AttentionProblem& problem,
                                         const std::vector<AttentionSchedule>& schedules);

/// Parts of a kernel that do not depend on its steps: blocks per worker, and bytes.
struct AttentionPlan {
  i64 tiles, workers,
      rows_of_tiles;  // workers: CTAs that run at once; rows of all tiles, splits counted once
  double all_blocks, masked_blocks;
  double busiest_blocks, busiest_tiles;  // blocks and tiles of the worker that ends last
  double sharers,
      missing;  // tiles of a wave that need one panel; fraction of panels read from DRAM
  Bytes kv_from_l2, q_from_l2;  // bytes into the SMs
  Bytes dram_read, dram_write;
  Bytes partial;  // bytes of the splits' partial results
};
/// Caches plans by the fields that they depend on, since most candidates share theirs.
class AttentionPlans {
 public:
  AttentionPlans(const GpuSpec& gpu, const AttentionProblem& problem)
      : gpu_(gpu), problem_(problem) {}
  const AttentionPlan& of(const AttentionConfig& config);

 private:
  struct Panels {
    double sharers;
    Bytes read;  // bytes of K and V read from DRAM
  };
  const Panels& panels_of(const AttentionWork& work, bool pack, i64 workers);

  const GpuSpec& gpu_;
  const AttentionProblem& problem_;
  std::map<std::array<i32, 8>, AttentionPlan> plans_;
  std::map<std::array<i32, 6>, Panels> panels_;
};

/// Number of CTAs resident on one SM, and on the whole GPU; with clusters, only whole ones.
i32 resident_ctas(const GpuSpec& gpu, const AttentionProblem& problem,
                  const AttentionConfig& config);
i64 resident_workers(const GpuSpec& gpu, const AttentionProblem& problem,
                     const AttentionConfig& config);

struct AttentionForm {
  Cycles cycles;
  Limiter limiter;
  Shares shares;
  FormParts parts;
  Cycles combine;  // time in which the last CTA of a tile combines the splits
  // Time of the steps other than products: for the busiest worker's blocks, and for the blocks of
  // all warpgroups of its SM, one after the other.
  Cycles softmax, softmax_of_sm;
  KernelActivity activity;  // its `elapsed` is `cycles`
};

/// Returns the steps of a block: S, maxima, exponentials, conversion and rescaling, P V. `masked`:
/// fraction of the scores that need a mask.
std::array<LoopStep, 5> attention_steps(const GpuSpec& gpu, const AttentionProblem& problem,
                                        const AttentionConfig& config, double masked);
/// Describes how O is stored.
TileStore attention_store(const GpuSpec& gpu, const AttentionProblem& problem,
                          const AttentionConfig& config);
/// Time from the last store of a tile's partial results until they are summed.
Cycles combine_time(const GpuSpec& gpu, const AttentionProblem& problem,
                    const AttentionConfig& config, Hertz sm_clock);
/// Rate at which DRAM reads K and V.
BytesPerSecond kv_read_rate(const GpuSpec& gpu, const AttentionProblem& problem);

AttentionForm closed_form(const GpuSpec& gpu, const AttentionProblem& problem,
                          const AttentionConfig& config, const AttentionPlan& plan, Hertz sm_clock);

/// Simulates the kernel as discrete events: a producer and consumer groups of each CTA, built from
/// the parts of model/sim, with the steps of the analytic model. Not modelled: the instructions of
/// a warpgroup that also loads.
struct SimulatedAttention {
  Cycles cycles;
  Bytes dram_read, l2_output;
  double tensor_share;
  u64 events;
};
SimulatedAttention simulate_attention(const GpuSpec& gpu, const AttentionProblem& problem,
                                      const AttentionConfig& config, Hertz sm_clock);

/// Computes kAttentionFeatures of a kernel at its predicted clock, for the learned correction.
KernelFeatures attention_features(const GpuSpec& gpu, const AttentionProblem& problem,
                                  const AttentionConfig& config, const AttentionPlan& plan,
                                  const AttentionForm& form, Hertz sm_clock, Regime regime);
/// Computes the analytic model and the clock of a kernel, before any correction.
Settled<AttentionForm> settled_form(const OpQuestion<AttentionProblem>& question,
                                    const AttentionConfig& config, const AttentionPlan& plan);

/// Computes times that no kernel can beat.
HardBounds hard_bounds(const GpuSpec& gpu, const AttentionProblem& problem);
LeastWork least_work(const GpuSpec& gpu, const AttentionProblem& problem);

using AttentionQuestion = OpQuestion<AttentionProblem>;

/// Throws ConfigError if the kernel is not legal, or if the GPU file lacks a section.
Prediction predict_one(const AttentionQuestion& question, const AttentionConfig& config,
                       Method method);
/// Returns the time of each configuration by the analytic model, infinite if it is not legal.
/// Throws ConfigError if the GPU file lacks a section.
std::vector<Seconds> closed_form_times(const AttentionQuestion& question,
                                       std::span<const AttentionConfig> configs);
/// Predicts every candidate. Throws the exceptions of predict_one.
Ranking rank_all(const AttentionQuestion& question, const std::vector<AttentionSchedule>& schedules,
                 std::size_t keep, const Effort& effort, const ConfigPattern* pattern);

/// Returns the contributions to the learned correction of the analytic model; empty without one.
std::vector<LearnedContribution> learned_contributions(const AttentionQuestion& question,
                                                       const AttentionConfig& config);

/// Explains why a prediction is far from measured kernels.
std::string why_extrapolated(const GpuSpec& gpu, const AttentionProblem& problem);

/// Return, for an explanation, the analytic model at the prediction's clock, and sentences on
/// softmax, the mask, waves, splits, L2 and DRAM.
AttentionForm form_at(const GpuSpec& gpu, const AttentionProblem& problem,
                      const AttentionConfig& config, Hertz sm_clock);
inline KernelActivity kernel_activity(const AttentionForm& form) { return form.activity; }
std::vector<std::string> notes(const AttentionQuestion& question, const AttentionConfig& config,
                               const Prediction& predicted);

}  // namespace tilecast
