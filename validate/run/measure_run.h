// A run of measuring: points in, rows in a file. The parent keeps the count and the file; children
// do the measuring, so that a kernel that faults or hangs costs its own row only
// (validate/run/supervisor.h), and a run that is killed loses at most the point in hand.
//
// What measures is a Bench, so that all of this is tested without a GPU: measure_run_test.cpp kills
// runs at random moments.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/base/error.h"
#include "validate/plan/measure_order.h"
#include "validate/record/measurement.h"

namespace tilecast {

class Bench {
 public:
  virtual ~Bench() = default;

  virtual std::string gpu_uuid() const = 0;
  virtual std::string driver() const = 0;
  /// What the user should know before the first point; empty for nothing.
  virtual std::string greeting() const { return ""; }
  /// A row that an earlier run measured.
  virtual void remember(const Measurement&) {}
  /// Throws ContextLost where no later point can be measured by this process.
  virtual Measurement measure(const Point& point) = 0;
};

struct RunSettings {
  std::string out;                    // CSV
  std::vector<std::string> counters;  // columns besides the fixed ones
  RunContext context;                 // gpu_uuid, driver and date come from the bench and the clock
  u64 order_seed = 0;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  bool quiet = false;                                  // no progress
  std::function<std::unique_ptr<Bench>()> make_bench;  // called in a child
};

struct RunOutcome {
  ExitCode code = ExitCode::kDone;  // kPartial where the deadline or a signal cut it short
  std::size_t finished = 0;
  std::map<std::string, std::size_t> counts;  // rows by status
  Seconds took;                               // from when the bench was ready
};

/// Throws what ended the run before its points did.
RunOutcome run_points(const RunSettings& settings, const std::vector<RunPoint>& points,
                      RunCosts costs);

}  // namespace tilecast
