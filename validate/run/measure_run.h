// A measurement run: reads points and appends rows to a file. The parent manages list and file;
// children measure. A kernel that faults or hangs costs only its row (validate/run/supervisor.h); a
// killed run loses at most the current point.
//
// The interface Bench hides measuring, so runs are tested without a GPU: measure_run_test.cpp kills
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
  /// Message for the user before the first point; may be empty.
  virtual std::string greeting() const { return ""; }
  /// Informs the bench of a row from an earlier run.
  virtual void remember(const Measurement&) {}
  /// Throws ContextLost if this process cannot measure further points.
  virtual Measurement measure(const Point& point) = 0;
};

struct RunSettings {
  std::string out;                    // CSV path
  std::vector<std::string> counters;  // counters in addition to the fixed columns
  RunContext context;                 // gpu_uuid, driver and date are filled in later
  u64 order_seed = 0;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  bool quiet = false;                                  // no progress output
  std::function<std::unique_ptr<Bench>()> make_bench;  // creates the bench in a child
};

struct RunOutcome {
  ExitCode code = ExitCode::kDone;  // kPartial if a deadline or signal ended it early
  std::size_t finished = 0;
  std::map<std::string, std::size_t> counts;  // number of rows by status
  Seconds took;                               // time since the bench was ready
};

/// Throws the error that ended the run early.
RunOutcome run_points(const RunSettings& settings, const std::vector<SuitePoint>& points,
                      RunCosts costs);

}  // namespace tilecast
