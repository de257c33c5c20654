// The model's prediction for one kernel on one GPU. Never mixed with measurements
// (validate/record/measurement.h); the two meet only in validate/compare.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/regime.h"
#include "model/base/units.h"
#include "model/clock/clock.h"
#include "model/form/hard_bounds.h"
#include "model/op/copied_operands.h"
#include "model/ops/any_op.h"
#include "model/spec/limiter.h"

namespace tilecast {

enum class Method {
  kAnalytic,   // the analytic model
  kSimulated,  // discrete-event simulation (model/sim), for GEMM schedules that have one
};

/// Default method of an op: the method with better picks on the committed measurements
/// (docs/accuracy.md, Methods).
constexpr Method default_method(Op op) {
  return traits_of(op).simulated ? Method::kSimulated : Method::kAnalytic;
}

std::string_view to_text(Method method);
/// Parses a method. Throws a ConfigError that lists the known words.
Method parse_method(std::string_view text);

/// Fraction of the bytes that L2 delivers to the SMs without a DRAM read. 0 if DRAM reads more:
/// bytes fetched together with a block may be evicted before they are requested.
constexpr double hit_rate(Bytes dram_read, Bytes l2_to_sm) {
  return 1 - std::min(1.0, dram_read / l2_to_sm);
}

struct Prediction {
  AnyConfig config;
  Method method;
  /// Lower bounds on time and interval. `dram` includes this kernel's traffic if that exceeds the
  /// minimum.
  HardBounds bounds;
  Cycles cycles;
  Hertz sm_clock;
  Seconds time, interval_low, interval_high;
  Seconds closed_form_time;  // time by the analytic model, for any method
  // Factors of the learned correction; 1 without one.
  double cycles_correction = 1, clock_correction = 1;
  bool extrapolated = false;  // calibrated, but without similar kernels
  double tflops;              // useful FLOPs, padding excluded; 0 for a copy
  Watts power;
  ClockLimiter clock_limiter = {};
  Limiter limiter;
  Shares shares;
  Bytes l2_to_sm;  // includes zeros for out-of-bounds parts; a multicast counts once
  Bytes dram_read;
  /// Bytes of C, counted once: data still in L2 when the kernel ends is written during its next
  /// run.
  Bytes dram_write;
  Bytes l2_output{};   // if simulated: bytes after merging concurrent requests for a block
  double l2_hit_rate;  // hit rate, from the two members above
  /// Time of the operand copies before the kernel (operand_copies.h). Time, interval and cycles
  /// include it, the cycles at the kernel's clock; all other fields describe only the kernel.
  Seconds copies{};
  /// Fraction of the blocks that was simulated; the rest is extrapolated from steady waves
  /// (steady_waves.h).
  double simulated_part = 0;
  /// If group sizes are random (rank_draws.h), `time` is the mean over random routings, and this is
  /// the time of each routing divided by `time`.
  std::vector<double> of_draws = {};
  /// Names of results that were out of range and clamped. Each is a defect of the model; thousands
  /// of random problems have none (tests/random).
  std::vector<std::string_view> clamped = {};
};

/// Operands copied before any kernel of the problem runs, and the time of the copies.
struct OperandCopies {
  CopiedOperands operands;
  Bytes bytes;  // bytes read and written
  Seconds time;
};

/// Order of a ranking (objective.h).
enum class Objective {
  kTime,
  // the kernel with the least energy among those that are too close to the fastest to call
  kEnergy,
};

/// The best configurations of one problem, best first by `objective`.
struct Ranking {
  AnyProblem problem;
  Regime regime;
  Inputs inputs;
  int candidates;                       // legal candidates, from which these were selected
  std::map<std::string, int> rejected;  // candidates not evaluated, by reason
  std::vector<Prediction> predictions;
  /// Number of simulations that were run, and the mean ratio of their times to the analytic times.
  /// Predictions that were not simulated have their analytic cycles and time scaled by the mean
  /// ratio of their schedule and tile, of their schedule, or of all schedules, so that one list can
  /// rank both.
  int simulated = 0;
  double closed_form_scale = 1;
  /// The next simulated kernel with another time, if the first kernel was simulated. It need not be
  /// in `predictions`.
  std::optional<Prediction> next_simulated = {};
  /// Number of candidates within 1 % of the fastest by the uncorrected analytic model, including
  /// the fastest.
  int within_1_percent = 0;
  std::map<std::string, AnyConfig> rejected_example;  // an example for each reason in `rejected`
  std::optional<OperandCopies> copies = {};           // not set if no operand needs a copy

  /// Filled if Effort::shortlist requests it: the fastest kernel of each schedule and tile, fastest
  /// first, and the fastest kernel with a counterpart in the other library.
  std::vector<Prediction> by_tile = {};
  std::optional<Prediction> counterpart = {};
  Objective objective = Objective::kTime;

  /// What each listed configuration stands for, or why it stands for none; empty without a list.
  struct Listed {
    std::optional<AnyConfig> config;
    std::string why_none;
  };
  std::vector<Listed> listed = {};

  /// Visits every prediction in the ranking.
  template <class Visit>
  void for_each_prediction(const Visit& visit) {
    for (Prediction& p : predictions) {
      visit(p);
    }
    for (Prediction& p : by_tile) {
      visit(p);
    }
    for (std::optional<Prediction>* one : {&next_simulated, &counterpart}) {
      if (*one) {
        visit(**one);
      }
    }
  }
};

}  // namespace tilecast
