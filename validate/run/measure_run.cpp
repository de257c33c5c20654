#include "validate/run/measure_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "model/base/text.h"
#include "validate/record/measurement_appender.h"
#include "validate/run/context_lost.h"
#include "validate/run/measure_progress.h"
#include "validate/run/stop_request.h"
#include "validate/run/supervisor.h"

namespace tilecast {
namespace {

using Clock = std::chrono::steady_clock;

Seconds seconds_since(Clock::time_point start) {
  return {std::chrono::duration<double>(Clock::now() - start).count()};
}

std::string now_as_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[sizeof "2025-01-31T12:00:00Z"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

/// Opens the output file only while it writes rows, in either process, so that its lock is never
/// held twice.
class Run {
 public:
  Run(const RunSettings& settings, const std::vector<SuitePoint>& points, RunCosts costs)
      : settings_(settings),
        points_(points),
        costs_(std::move(costs)),
        context_(settings.context),
        progress_("measuring", settings.quiet) {}

  RunOutcome go() {
    started_ = last_done_ = Clock::now();
    outcome_.code = supervise(
        {.tasks = points_.size(),
         .body = [&](std::size_t first,
                     const TaskReporter& reporter) { return measure_from(first, reporter); },
         .on_started = [&](const std::string& text) { take_context(text); },
         .on_done = [&](std::size_t task, const std::string& text) { count(task, text); },
         .on_lost = [&](std::size_t task, const std::string& why) { record_lost(task, why); }});
    progress_.finish();
    outcome_.took = seconds_since(started_);
    return outcome_;
  }

 private:
  // Called in the child.

  ExitCode measure_from(std::size_t first, const TaskReporter& reporter) {
    const std::unique_ptr<Bench> bench = settings_.make_bench();
    context_.gpu_uuid = bench->gpu_uuid();
    context_.driver = bench->driver();
    reporter.started(context_.gpu_uuid + " " + context_.driver);
    if (first == 0 && !settings_.quiet && !bench->greeting().empty()) {
      fmt::print(stderr, "{}\n", bench->greeting());
    }
    MeasurementAppender file(settings_.out, settings_.counters, IfExists::kResume);
    for (const Measurement& row : file.resumed()) {
      bench->remember(row);
    }
    return measure_points(first, *bench, file, reporter);
  }

  ExitCode measure_points(std::size_t first, Bench& bench, MeasurementAppender& file,
                          const TaskReporter& reporter) {
    for (std::size_t i = first; i < points_.size(); ++i) {
      if (!stop_requested().empty()) {
        return ExitCode::kPartial;
      }
      const Clock::time_point start = Clock::now();
      if (settings_.deadline &&
          start + std::chrono::duration_cast<Clock::duration>(
                      std::chrono::duration<double>(costs_.expected(i).value)) >
              *settings_.deadline) {
        return ExitCode::kPartial;
      }
      reporter.begin(i);
      Measurement row;
      row.point = points_[i].point;
      if (points_[i].refusal.empty()) {
        try {
          row = bench.measure(points_[i].point);
        } catch (const ContextLost& error) {
          reporter.lost(i, error.what());
        }
      } else {
        row.status = Status::kSkipped;
        row.reason = points_[i].refusal;
      }
      const std::string text = describe_result(row);
      file.append(complete(std::move(row), points_[i]));
      costs_.note(i, seconds_since(start));
      reporter.done(i, text);
    }
    return ExitCode::kDone;
  }

  // Called in the parent.

  void take_context(const std::string& text) {
    const std::vector<std::string_view> parts = split(text, ' ');
    context_.gpu_uuid = parts[0];
    context_.driver = parts.size() > 1 ? parts[1] : "";
    last_done_ = Clock::now();
    started_ = outcome_.finished == 0 ? last_done_ : started_;
  }

  void count(std::size_t task, const std::string& text) {
    costs_.note(task, seconds_since(last_done_));
    last_done_ = Clock::now();
    const std::string word = text.substr(0, text.find_first_of(" :"));
    ++outcome_.counts[word];
    ++outcome_.finished;
    Seconds left = costs_.expected_from(task + 1);
    if (settings_.deadline) {
      left = std::min(
          left, Seconds{std::chrono::duration<double>(*settings_.deadline - last_done_).count()});
    }
    progress_.show(outcome_.finished, points_.size(), describe(points_[task].point) + "  " + text,
                   left);
  }

  void record_lost(std::size_t task, const std::string& reason) {
    Measurement row;
    row.point = points_[task].point;
    row.status = Status::kFailed;
    row.reason = reason;
    MeasurementAppender(settings_.out, settings_.counters, IfExists::kResume)
        .append(complete(std::move(row), points_[task]));
    count(task, "failed: " + reason);
  }

  Measurement complete(Measurement row, const SuitePoint& point) const {
    row.context = context_;
    row.context.date = now_as_text();
    row.order_seed = static_cast<i64>(settings_.order_seed);
    row.drawn = point.drawn;
    if (point.round > 0) {
      row.round = point.round;
    }
    return row;
  }

  const RunSettings& settings_;
  const std::vector<SuitePoint>& points_;
  RunCosts costs_;
  RunContext context_;
  MeasureProgress progress_;
  RunOutcome outcome_;
  Clock::time_point started_, last_done_;
};

}  // namespace

RunOutcome run_points(const RunSettings& settings, const std::vector<SuitePoint>& points,
                      RunCosts costs) {
  return Run(settings, points, std::move(costs)).go();
}

}  // namespace tilecast
