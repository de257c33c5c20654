#include "validate/plan/progress.h"

#include <memory>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "validate/record/example_measurement.h"
#include "validate/record/measurement_appender.h"

using namespace tilecast;

namespace {

Measurement row(int number, const std::string& date) {
  Measurement m = example_measurement("pipelined:n=" + std::to_string(number), Seconds{1e-4});
  m.context.date = date;
  return m;
}

}  // namespace

TEST_CASE("Progress counts points, failures and time left from the shards' files") {
  const TemporaryFolder folder;
  WorkPlan plan{.gpu = "h200_sxm", .counters = "none", .points = {}};
  for (int i = 0; i < 8; ++i) {
    plan.points.push_back({{row(i, "").point, ""}, 500'000});
  }
  CHECK(progress_of(plan, {}).left().value == Approx(4));  // 8 x 0.5 s
  const std::filesystem::path path = folder / "p.csv";
  auto first = std::make_unique<MeasurementAppender>(shard_file(path, {1, 2}),
                                                     std::vector<std::string>{}, IfExists::kRefuse);
  first->append(row(0, "2025-01-31T12:00:00Z"));
  first->append(row(1, "2025-01-31T12:00:01Z"));
  Measurement failed = row(2, "2025-01-31T18:00:00Z");  // after a gap of several hours
  failed.status = Status::kFailed;
  failed.reason = "it hung";
  failed.verified = false;
  first->append(failed);

  PlanProgress progress = progress_of(plan, shard_files_of(path));
  CHECK(progress.points == 8);
  CHECK(progress.done == 3);
  CHECK(progress.running == 1);
  CHECK(progress.counts == std::map<std::string, std::size_t>{{"ok", 2}, {"failed", 1}});
  CHECK(progress.reasons == std::map<std::string, std::size_t>{{"failed: it hung", 1}});
  REQUIRE(progress.shards.size() == 1);
  CHECK(progress.shards[0].points == 4);
  CHECK(progress.shards[0].last == "2025-01-31T18:00:00Z");
  // A point takes one second and was estimated at half a second; five points are left.
  CHECK(progress.pace.value() == Approx(2));
  CHECK(progress.left().value == Approx(5 * 0.5 * 2));

  // A point that a shard measured twice counts once; an unverified one is not ok.
  first->append(row(1, "2025-01-31T18:00:01Z"));
  Measurement unverified = row(3, "2025-01-31T18:00:02Z");
  unverified.verified = false;
  first->append(unverified);
  progress = progress_of(plan, shard_files_of(path));
  CHECK(progress.done == 4);
  CHECK(progress.shards[0].done == 4);
  const std::map<std::string, std::size_t> counts{{"ok", 2}, {"failed", 1}, {"unverified", 1}};
  CHECK(progress.counts == counts);
  CHECK(progress.shards[0].counts == counts);

  first.reset();
  CHECK(progress_of(plan, shard_files_of(path)).running == 0);
}
