// What the model says of one kernel on one GPU. Never mixed with what was measured
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
  kAnalytic,   // closed forms
  kSimulated,  // discrete events (model/sim), of GEMMs where they have the schedule
};

/// What predicts an op where nobody says: the method that picks better on the committed rows
/// (docs/accuracy.md, Methods).
constexpr Method default_method(Op op) {
  return traits_of(op).simulated ? Method::kSimulated : Method::kAnalytic;
}

std::string_view to_text(Method method);
/// Throws ConfigError that lists the known words.
Method parse_method(std::string_view text);

/// Of bytes that L2 delivers to the SMs, those that it does not read from DRAM for them. None where
/// it reads more: what DRAM sends along with a block may be lost before it is asked for.
constexpr double hit_rate(Bytes dram_read, Bytes l2_to_sm) {
  return 1 - std::min(1.0, dram_read / l2_to_sm);
}

struct Prediction {
  AnyConfig config;
  Method method;
  /// Neither time nor interval is below them. `dram`: of what this kernel moves, where that is more
  /// than the least.
  HardBounds bounds;
  Cycles cycles;
  Hertz sm_clock;
  Seconds time, interval_low, interval_high;
  Seconds closed_form_time;  // whatever the method
  // What a calibration's correction multiplied the physics by; 1 without.
  double cycles_correction = 1, clock_correction = 1;
  bool extrapolated = false;  // of a calibration that has seen no kernel like it
  double tflops;              // FLOPs asked for, whatever the kernel multiplies; a copy has none
  Watts power;
  ClockLimiter clock_limiter = {};
  Limiter limiter;
  Shares shares;
  Bytes l2_to_sm;  // zeros for what is out of bounds too, a multicast counted once
  Bytes dram_read;
  /// C once: what of it is in L2 when the kernel ends is written while the next run of it begins.
  Bytes dram_write;
  Bytes l2_output{};   // simulated: the same with concurrent requests for one block merged
  double l2_hit_rate;  // hit_rate of the two
  /// Of operands before the kernel (operand_copies.h), in time, both ends of the interval and
  /// cycles, those at the kernel's clock; all that stands above but these is the kernel's own.
  Seconds copies{};
  /// Simulated blocks of all; the others go on as the steady ones (steady_waves.h).
  double simulated_part = 0;
  /// Where rows of groups are a distribution (rank_draws.h), whose mean all this is: the time of
  /// each draw over `time`.
  std::vector<double> of_draws = {};
  /// Results that left their range and were moved to its end, by name. Each is a defect of some
  /// mechanism: thousands of random problems have none (tests/random).
  std::vector<std::string_view> clamped = {};
};

/// What is copied before any kernel of the problem runs, and how long that takes.
struct OperandCopies {
  CopiedOperands operands;
  Bytes bytes;  // read and written
  Seconds time;
};

/// The fastest configurations of one problem, fastest first.
struct Ranking {
  AnyProblem problem;
  Regime regime;
  Inputs inputs;
  int candidates;                       // legal ones, of which these are the fastest
  std::map<std::string, int> rejected;  // kernels that were not tried, by reason
  std::vector<Prediction> predictions;
  /// Simulations that were run, and the mean of their times over their closed forms'. Predictions
  /// that were not simulated carry their closed form's cycles and time times that mean, of their
  /// own schedule where it has any, so that all stand in one list.
  int simulated = 0;
  double closed_form_scale = 1;
  /// The next kernel that was simulated, where the first one was: of another time, and perhaps not
  /// among `predictions`.
  std::optional<Prediction> next_simulated = {};
  /// Candidates that by closed form alone, physics without anything learned, take at most 1 %
  /// longer than the fastest, itself included.
  int within_1_percent = 0;
  std::map<std::string, AnyConfig> rejected_example;  // of each reason of `rejected`
  std::optional<OperandCopies> copies = {};  // none of operands that kernels read as they lie

  /// Where Effort::shortlist asks for them: the fastest kernel of each schedule and tile, fastest
  /// first, and the fastest of those that have a counterpart.
  std::vector<Prediction> by_tile = {};
  std::optional<Prediction> counterpart = {};

  /// Of every prediction that it holds.
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
