#include "validate/plan/merge.h"

#include <random>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/shuffle.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "validate/record/example_measurement.h"

using namespace tilecast;

namespace {

Point point(int number) {
  return example_measurement("pipelined:n=" + std::to_string(number), Seconds{1e-4}).point;
}

WorkPlan plan_of(int points) {
  WorkPlan plan{.gpu = "h200_sxm", .counters = "none", .points = {}};
  for (int i = 0; i < points; ++i) {
    plan.points.push_back({{point(i), "named"}, 1000});
  }
  return plan;
}

Measurement row(int number, double micro = 100, const std::string& date = "2025-01-31T12:00:00Z") {
  Measurement m = example_measurement(point(number).config, Seconds{micro * 1e-6});
  m.context.date = date;
  return m;
}

Measurement not_ok(int number, Status status) {
  Measurement m = row(number);
  m.status = status;
  m.reason = "a reason";
  m.verified = false;
  m.time.reset();
  m.cycles.reset();
  m.sm_clock.reset();
  return m;
}

MeasurementFile file_of(const std::string& name, const std::vector<Measurement>& rows) {
  return parse_measurements(measurement_csv(rows), name);
}

}  // namespace

TEST_CASE("Rows are in the plan's order, each point once, and missing points are reported") {
  const WorkPlan plan = plan_of(4);
  const std::vector<MeasurementFile> files{file_of("a", {row(2), row(0)}),
                                           file_of("b", {row(2, 101), row(1)})};
  const Merge merge = merge_rows(plan, files);
  REQUIRE(merge.rows.size() == 3);
  CHECK(merge.missing == std::vector<std::size_t>{3});
  CHECK(merge.duplicates == 1);
  CHECK(merge.contradictions.empty());
  const MeasurementFile merged = parse_measurements(merged_csv(merge, files), "m");
  for (int i = 0; i < 3; ++i) {
    CHECK(merged.rows[static_cast<std::size_t>(i)].measurement.point == point(i));
  }
}

TEST_CASE("The kept row of a point depends on the rows, not on the order of files") {
  const WorkPlan plan = plan_of(3);
  std::vector<MeasurementFile> files{
      file_of("a", {not_ok(0, Status::kFailed), row(1, 100, "2025-01-31T12:00:02Z"), row(2, 100)}),
      file_of("b", {row(0, 100, "2025-01-31T13:00:00Z"), row(1, 102, "2025-01-31T12:00:01Z")}),
      file_of("c", {row(2, 103)})};
  std::mt19937_64 random(1);
  std::string first;
  for (int i = 0; i < 10; ++i) {
    shuffle(files, random);
    const Merge merge = merge_rows(plan, files);
    CHECK(merge.counts == std::map<std::string, std::size_t>{{"ok", 3}});
    const std::string csv = merged_csv(merge, files);
    first = i == 0 ? csv : first;
    CHECK(csv == first);
    // Merges the result again, with and without its inputs.
    files.push_back(parse_measurements(csv, "again"));
    CHECK(merged_csv(merge_rows(plan, files), files) == first);
    files.pop_back();
  }
  const MeasurementFile merged = parse_measurements(first, "m");
  // The earlier row is kept.
  CHECK(merged.rows[1].measurement.time->median.value == Approx(102e-6));
}

TEST_CASE("Rows of a point contradict each other beyond a tenth of their cycles") {
  const WorkPlan plan = plan_of(1);
  const auto contradictions = [&](const Measurement& a, const Measurement& b) {
    return merge_rows(plan, {file_of("a", {a}), file_of("b", {b})}).contradictions.size();
  };
  CHECK(contradictions(row(0, 100), row(0, 109.9)) == 0);
  CHECK(contradictions(row(0, 100), row(0, 110.1)) == 1);
  CHECK(contradictions(row(0, 110.1), row(0, 100)) == 1);
  CHECK(contradictions(row(0), not_ok(0, Status::kWrong)) == 1);
  CHECK(contradictions(row(0), not_ok(0, Status::kFailed)) == 0);
  Measurement other_walk = row(0), walk = row(0);
  walk.tile_checksum = "1";
  other_walk.tile_checksum = "2";
  CHECK(contradictions(walk, other_walk) == 1);
  CHECK(contradictions(walk, row(0)) == 0);
}

TEST_CASE("A row of no point of the plan, or of another GPU, contradicts the plan and is dropped") {
  Measurement elsewhere = row(0);
  elsewhere.context.gpu = "h100_sxm";
  const Merge merge = merge_rows(plan_of(2), {file_of("a.csv", {row(5), elsewhere, row(1)})});
  CHECK(merge.rows.size() == 1);
  REQUIRE(merge.contradictions.size() == 2);
  CHECK(merge.contradictions[0] == "a.csv:2: not a point of the plan");
  CHECK(merge.contradictions[1] == "a.csv:3: measured on h100_sxm, the plan is for h200_sxm");
}

TEST_CASE("A shard's file is readable after a kill at any point") {
  const TemporaryFolder folder;
  const std::string whole = measurement_csv({row(0), row(1)});
  for (std::size_t length = 0; length <= whole.size(); length += 7) {
    write_file(folder / "a.csv", std::string_view(whole).substr(0, length));
    const std::size_t lines = static_cast<std::size_t>(
        std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length), '\n'));
    CHECK(read_shard(folder / "a.csv").rows.size() == (lines == 0 ? 0 : lines - 1));
  }
}
