#include "validate/run/measure_run.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <set>
#include <thread>

#include "tests/catch.h"
#include "tests/sanitized.h"
#include "tests/temporary_folder.h"
#include "validate/record/measurement_appender.h"
#include "validate/record/measurement_csv.h"
#include "validate/run/context_lost.h"
#include "validate/run/gpu_lock.h"
#include "validate/run/measure_progress.h"

using namespace tilecast;

namespace {

/// Takes a millisecond or two per point; special configuration names lose the context or are wrong.
class FakeBench : public Bench {
 public:
  std::string gpu_uuid() const override { return "GPU-fake"; }
  std::string driver() const override { return "1.2.3"; }
  void remember(const Measurement& row) override { remembered_.insert(key_of(row.point)); }
  Measurement measure(const Point& point) override {
    std::this_thread::sleep_for(std::chrono::microseconds(700 + 100 * (remembered_.size() % 5)));
    if (point.config.starts_with("lost:")) {
      throw ContextLost("an illegal address");
    }
    Measurement row;
    row.point = point;
    row.verified = true;
    row.time = TimeDistribution{Seconds{1e-6}, Seconds{1e-6}, Seconds{1e-6}, 3};
    remembered_.insert(key_of(point));
    return row;
  }

 private:
  std::set<std::string> remembered_;
};

std::vector<SuitePoint> points_of(std::size_t count) {
  std::vector<SuitePoint> points(count);
  for (std::size_t i = 0; i < count; ++i) {
    points[i].point.problem = GemmProblem{{64, 64, 64}, ElementType::kFp16, Layout::kTn};
    points[i].point.config = "fake:n=" + std::to_string(i);
  }
  return points;
}

RunSettings settings_of(const std::filesystem::path& out) {
  return {.out = out.string(),
          .counters = {},
          .context = {.gpu = "fake"},
          .order_seed = 5,
          .deadline = {},
          .quiet = true,
          .make_bench = [] { return std::make_unique<FakeBench>(); }};
}

const auto kInstant = [](const Point&) { return Seconds{0}; };

/// Like `measure --resume`: lock, remaining points, run.
RunOutcome resume(const std::filesystem::path& folder, const std::vector<SuitePoint>& points,
                  i64 rounds = 1) {
  const GpuLock lock("GPU-fake", "a test", folder, std::chrono::seconds(10));
  std::vector<SuitePoint> run;
  {
    const MeasurementAppender file(folder / "a.csv", {}, IfExists::kResume);
    run = in_rounds(points, rounds, [&](const Point& point) { return file.rows_of(point); });
  }
  return run_points(settings_of(folder / "a.csv"), run, RunCosts(run, kInstant));
}

std::multiset<std::string> keys_in(const std::filesystem::path& csv) {
  std::multiset<std::string> keys;
  for (const MeasurementRow& row : read_measurements(csv).rows) {  // throws if a line is truncated
    keys.insert(key_of(row.measurement.point));
  }
  return keys;
}

}  // namespace

TEST_CASE(
    "Killed at twenty random moments and resumed, a run has the rows of an uninterrupted one") {
  const std::vector<SuitePoint> points = points_of(150);
  for (const i64 rounds : {i64{1}, i64{2}}) {
    const TemporaryFolder straight, killed;
    resume(straight / "", points, rounds);
    std::mt19937 random(static_cast<unsigned>(rounds));
    int interrupted = 0;
    for (int i = 0; i < 20; ++i) {
      const pid_t process = ::fork();
      if (process == 0) {
        resume(killed / "", points, rounds);
        _exit(0);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(2000 + random() % 20000));
      ::kill(process, SIGKILL);
      int status = 0;
      ::waitpid(process, &status, 0);
      interrupted += WIFSIGNALED(status) ? 1 : 0;
    }
    CHECK(interrupted >= 10);  // otherwise the run was too short to be interrupted
    resume(killed / "", points, rounds);

    CHECK(keys_in(killed / "a.csv") == keys_in(straight / "a.csv"));
    CHECK(keys_in(killed / "a.csv").size() == points.size() * static_cast<std::size_t>(rounds));
  }
}

TEST_CASE("A point that kills the process costs only its row, and the others keep the context") {
  const TemporaryFolder folder;
  std::vector<SuitePoint> points = points_of(4);
  points[1].point.config = "lost:n=1";
  points[2].refusal = "too large";
  const RunOutcome outcome = resume(folder / "", points);
  CHECK(outcome.code == ExitCode::kDone);
  CHECK(outcome.finished == 4);
  CHECK(outcome.counts ==
        std::map<std::string, std::size_t>{{"ok", 2}, {"failed", 1}, {"skipped", 1}});
  const MeasurementFile file = read_measurements(folder / "a.csv");
  REQUIRE(file.rows.size() == 4);
  for (const MeasurementRow& row : file.rows) {
    CHECK(row.measurement.context.gpu_uuid == "GPU-fake");
    CHECK(row.measurement.context.driver == "1.2.3");
    CHECK(row.measurement.order_seed == 5);
    CHECK_FALSE(row.measurement.round.has_value());
  }
  CHECK(file.rows[1].measurement.reason == "an illegal address");
  CHECK(file.rows[2].measurement.reason == "too large");
}

TEST_CASE("Resuming a complete run adds nothing") {
  const TemporaryFolder folder;
  const std::vector<SuitePoint> points = points_of(3);
  resume(folder / "", points);
  CHECK(resume(folder / "", points).finished == 0);
  CHECK(keys_in(folder / "a.csv").size() == 3);
}

TEST_CASE("A deadline ends the run before the point that would miss it") {
  const TemporaryFolder folder;
  const std::vector<SuitePoint> run =
      in_rounds(points_of(2000), 1, [](const Point&) { return std::size_t{0}; });
  RunSettings settings = settings_of(folder / "a.csv");
  settings.deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(kSanitized ? 3000 : 300);
  const RunOutcome outcome = run_points(settings, run, RunCosts(run, kInstant));
  CHECK(outcome.code == ExitCode::kPartial);
  CHECK(outcome.finished > 1);  // the first estimate is 0.2 s, later ones are refined
  CHECK(outcome.finished < 2000);
  settings.deadline = std::chrono::steady_clock::now();
  CHECK(run_points(settings, run, RunCosts(run, kInstant)).finished == 0);
}

TEST_CASE("Remaining time is formatted as a clock") {
  CHECK(clock_text(Seconds{4.6}) == "0:05");
  CHECK(clock_text(Seconds{754}) == "12:34");
  CHECK(clock_text(Seconds{3600}) == "1:00:00");
  CHECK(clock_text(Seconds{7403}) == "2:03:23");
  CHECK(clock_text(Seconds{-1}) == "0:00");
}
